import { list } from '../../domain/audit.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { auditParameters } from '../../schema/audit.ts'
import { listAnswer } from '../list-response.ts'
import { auditEntry } from '../present-audit.ts'

/** The audit log, for administrators. */
export const auditEndpoint: Endpoint = {
  name: 'audit.list',
  answers: 'AuditList',
  methods: ['GET'],
  path: '/audit',
  access: 'signed-in',
  parameters: auditParameters,
  async handle(call) {
    const { entries, ...page } = await list(call.scope, call.query, 'bounded')
    const shown = { name: 'audit', pastEnd: 'audit-archive-page-not-found', ...page } as const
    return { ...listAnswer(call, entries.map(auditEntry), shown), secret: true }
  },
}
