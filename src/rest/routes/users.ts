import * as accounts from '../../domain/accounts.ts'
import * as own from '../../domain/own-account.ts'
import { type Answer, type Call, type Endpoint, UPDATE } from '../../http/endpoint.ts'
import { optional } from '../../schema/field.ts'
import { pageParameters } from '../../schema/record.ts'
import { userChanges, userFields, userRemoval } from '../../schema/user.ts'
import { listAnswer } from '../list-response.ts'
import { account, ownAccount } from '../present-user.ts'
import { byId } from './lookup.ts'

/** Answers about users are for this client alone, and never cached. */
const single = (shown: accounts.Account): Answer => ({ body: account(shown), secret: true })

async function list(call: Call): Promise<Answer> {
  const { accounts: found, ...page } = await accounts.listPage(call.scope, call.query)
  const listed = { name: 'users', pastEnd: 'user-archive-page-not-found', ...page } as const
  return { ...listAnswer(call, found.map(account), listed), secret: true }
}

/** Users: for administrators, but for one's own account. */
export const userEndpoints: Endpoint[] = [
  {
    name: 'users.me',
    answers: 'OwnAccount',
    methods: ['GET'],
    path: '/users/me',
    access: 'signed-in',
    parameters: {},
    handle: async ({ scope }) => ({ body: ownAccount(await own.get(scope)), secret: true }),
  },
  {
    name: 'users.list',
    answers: 'UserList',
    methods: ['GET'],
    path: '/users',
    access: 'signed-in',
    parameters: pageParameters,
    handle: list,
  },
  {
    name: 'users.create',
    answers: 'Invitation',
    methods: ['POST'],
    path: '/users',
    access: 'by-password',
    parameters: userFields,
    async handle({ scope, body, addresses }) {
      const { account: made, secret } = await accounts.invite(scope, body)
      return {
        status: 201,
        headers: { location: `${addresses.rest}/users/${made.id}` },
        body: { ...account(made), invitation_url: `${addresses.home}/invite/${secret}` },
      }
    },
  },
  {
    name: 'users.get',
    answers: 'User',
    methods: ['GET'],
    path: '/users/:id',
    access: 'signed-in',
    parameters: byId.parameters,
    handle: async ({ scope, id }) => single((await accounts.get(scope, id)).account),
  },
  {
    name: 'users.update',
    answers: 'User',
    methods: UPDATE,
    path: '/users/:id',
    access: 'by-password',
    parameters: { ...byId.parameters, ...optional(userChanges) },
    handle: async ({ scope, id, body }) => single(await accounts.update(scope, id, body)),
  },
  {
    name: 'users.remove',
    answers: 'User',
    methods: ['DELETE'],
    path: '/users/:id',
    access: 'by-password',
    parameters: { ...byId.parameters, ...userRemoval },
    handle: async ({ scope, id, query }) => single(await accounts.remove(scope, id, query)),
  },
]
