import * as own from '../../domain/own-account.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { tokenFields } from '../../schema/user.ts'
import { token } from '../present-user.ts'
import { byId } from './lookup.ts'

const PATH = '/users/me/tokens'

/** Tokens of the user who asks, and of nobody else. */
export const tokenEndpoints: Endpoint[] = [
  {
    name: 'tokens.list',
    answers: 'Tokens',
    methods: ['GET'],
    path: PATH,
    access: 'signed-in',
    parameters: {},
    handle: async ({ scope }) => ({ body: { tokens: (await own.listTokens(scope)).map(token) }, secret: true }),
  },
  {
    name: 'tokens.create',
    answers: 'NewToken',
    methods: ['POST'],
    path: PATH,
    access: 'by-password',
    parameters: tokenFields,
    async handle({ scope, body, addresses }) {
      const made = await own.createToken(scope, body)
      return {
        status: 201,
        headers: { location: `${addresses.rest}${PATH}` },
        body: { ...token(made.row), token: made.token },
      }
    },
  },
  {
    name: 'tokens.remove',
    answers: 'Token',
    methods: ['DELETE'],
    path: `${PATH}/:id`,
    access: 'by-password',
    parameters: byId.parameters,
    handle: async ({ scope, id }) => ({ body: token(await own.revokeToken(scope, id)) }),
  },
]
