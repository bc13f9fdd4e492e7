import type { Endpoint } from '../http/endpoint.ts'
import { RenderedEvents } from './rendered/rendered-events.ts'
import { auditEndpoint } from './routes/audit.ts'
import { batchEndpoint } from './routes/batch.ts'
import { changesEndpoint } from './routes/changes.ts'
import { documentationEndpoint } from './routes/documentation.ts'
import { eventEndpoints } from './routes/events.ts'
import { imageEndpoints } from './routes/images.ts'
import { importEndpoint } from './routes/imports.ts'
import { linkedRecordEndpoints } from './routes/linked-records.ts'
import { namespaceEndpoint } from './routes/namespace.ts'
import { termEndpoints } from './routes/terms.ts'
import { tokenEndpoints } from './routes/tokens.ts'
import { userEndpoints } from './routes/users.ts'
import { versionEndpoints } from './routes/versions.ts'
import { webhookEndpoints } from './routes/webhooks.ts'

/** All endpoints of the REST interface. */
export function restEndpoints(rendered: RenderedEvents): readonly Endpoint[] {
  const all: readonly Endpoint[] = [
    namespaceEndpoint(() => all),
    documentationEndpoint(() => all),
    ...eventEndpoints(rendered),
    ...linkedRecordEndpoints,
    ...imageEndpoints,
    ...termEndpoints,
    changesEndpoint,
    ...versionEndpoints,
    auditEndpoint,
    ...webhookEndpoints,
    importEndpoint,
    batchEndpoint(() => all),
    ...userEndpoints,
    ...tokenEndpoints,
  ]
  return all
}

/** The same without a cache, for documentation. */
export const endpoints = restEndpoints(new RenderedEvents(null))
