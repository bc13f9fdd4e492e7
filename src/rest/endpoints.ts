import type { Endpoint } from '../http/endpoint.ts'
import { documentationEndpoint } from './routes/documentation.ts'
import { eventEndpoints } from './routes/events.ts'
import { imageEndpoints } from './routes/images.ts'
import { importEndpoint } from './routes/imports.ts'
import { linkedRecordEndpoints } from './routes/linked-records.ts'
import { namespaceEndpoint } from './routes/namespace.ts'
import { termEndpoints } from './routes/terms.ts'

/** The whole REST interface. */
export const endpoints: readonly Endpoint[] = [
  namespaceEndpoint(() => endpoints),
  documentationEndpoint(() => endpoints),
  ...eventEndpoints,
  ...linkedRecordEndpoints,
  ...imageEndpoints,
  ...termEndpoints,
  importEndpoint,
]
