import { AUDIT_ACTIONS, AUDIT_KINDS, WAYS } from './audit.ts'
import { CHANGE_KINDS } from './change.ts'
import { eventFields, type PlainEventField, plainEventFields, type UnshownEventField } from './event.ts'
import { type Described, type Fields, storedEntries } from './field.ts'
import { imageFields } from './image.ts'
import { type JsonProperties, type JsonSchema, Type } from './json-schema.ts'
import { byLinkedKind, LINKED_FIELDS, LINKED_KINDS, type LinkedKind, SHOWN_ALONE } from './linked.ts'
import { STATUSES } from './record.ts'
import { categoryFields, tagFields } from './term.ts'
import { ticketFields } from './ticket.ts'
import { ROLES, tokenFields, userFields } from './user.ts'
import { DELIVERY_STATUSES, PAYLOADS, WEBHOOK_EVENTS, webhookFields } from './webhook.ts'

/**
 * What responses look like, by name. Descriptions are the texts that `x-text` names; a field that is declared for
 * requests is described by the same text here. Nothing that is not declared may appear.
 */

const CLOSED = { additionalProperties: false } as const

const said = (text: string) => ({ 'x-text': `responses.${text}` })
const object = (properties: JsonProperties, text: string) => Type.Object(properties, { ...CLOSED, ...said(text) })
const ref = (name: string) => Type.Ref(`#/components/schemas/${name}`)
const orNull = (schema: JsonSchema) => Type.Union([schema, Type.Null()])

const wall = (text: string) => Type.String({ pattern: '^\\d{4,5}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$', ...said(text) })
const address = (text: string) => Type.String({ format: 'uri', ...said(text) })
const count = (text: string) => Type.Integer({ minimum: 0, ...said(text) })
const id = Type.Integer({ minimum: 1, ...said('id') })

/** Response properties of declared fields, with the descriptions of the fields. */
function shown<N extends string>(fields: Fields, as: Record<N, JsonSchema>): Record<N, JsonSchema> {
  const texts = Object.entries<JsonSchema>(as).map(([name, schema]) => [
    name,
    { ...schema, 'x-text': `fields.${fields[name]?.text}` },
  ])
  return Object.fromEntries(texts)
}

/** Response schema of a stored field, by type. */
function plain({ kind, text }: Described): JsonSchema {
  const types = { boolean: Type.Boolean(), number: Type.Number(), integer: Type.Integer() } as Record<
    string,
    JsonSchema
  >
  return { ...(types[kind.type] ?? Type.String()), 'x-text': `fields.${text}` }
}

/** The stored details of a venue or organizer, which are left out when they are empty; flags are always there. */
function details(fields: Fields, except: string): JsonProperties {
  return Object.fromEntries(
    storedEntries(fields, [except, 'description']).map(([name, field]) => [
      name,
      field.kind.type === 'boolean' ? plain(field) : Type.Optional(plain(field)),
    ]),
  )
}

/** The stored fields of an event that are shown by their types; where its reader lacks the password, texts are empty and all else is null. */
const plainOfEvent = Object.fromEntries<JsonSchema>(
  plainEventFields.map(([name, field]) => {
    const { 'x-text': text, ...schema } = plain(field)
    return [name, { ...(schema.type === 'string' ? schema : orNull(schema)), 'x-text': text }]
  }),
) as Record<PlainEventField, JsonSchema>

const head = {
  author: Type.String({ pattern: '^\\d+$', ...said('author') }),
  status: Type.Enum([...STATUSES], { 'x-text': 'fields.record.status' }),
  date: wall('date'),
  date_utc: wall('date_utc'),
  modified: wall('modified'),
  modified_utc: wall('modified_utc'),
}
const identity = {
  global_id: Type.String(said('global_id')),
  global_id_lineage: Type.Array(Type.String(), said('global_id_lineage')),
}
const jsonLd = Type.Optional(
  Type.Object(
    { '@context': Type.String(), '@type': Type.String() },
    { additionalProperties: true, ...said('json_ld') },
  ),
)

/** The names of the responses with a record of a kind, and with a list of them. */
type LinkedName = Capitalize<LinkedKind>
export const responseName = (kind: LinkedKind) => (kind.charAt(0).toUpperCase() + kind.slice(1)) as LinkedName

function linked(kind: LinkedKind): JsonSchema {
  const fields: Fields = LINKED_FIELDS[kind]
  return object(
    {
      id,
      ...head,
      url: address('url'),
      ...shown(fields, { [kind]: Type.String() }),
      ...shown(fields, { slug: Type.String() }),
      description: Type.Optional({ ...Type.String(), 'x-text': 'fields.record.description' }),
      image: Type.Optional(ref('Image')),
      ...details(fields, kind),
      ...identity,
      json_ld: jsonLd,
    },
    kind,
  )
}

const term = (fields: Fields, parent: JsonProperties, text: string) =>
  object(
    {
      id,
      ...shown(fields, { name: Type.String(), slug: Type.String(), description: Type.String() }),
      ...parent,
      count: count('count'),
      url: address('url'),
      urls: object(
        { self: address('urls_self'), collection: address('urls_collection'), up: Type.Optional(address('urls_up')) },
        'urls',
      ),
    },
    text,
  )

const parts = object(
  Object.fromEntries(
    ['year', 'month', 'day', 'hour', 'minutes', 'seconds'].map((name) => [
      name,
      Type.String({ pattern: '^\\d{2,5}$', ...said(name) }),
    ]),
  ),
  'date_details',
)
const flag = orNull(Type.Boolean())

const event = object(
  {
    id,
    ...identity,
    ...head,
    url: address('url'),
    rest_url: address('rest_url'),
    ...shown(eventFields, { title: Type.String(), slug: Type.String() }),
    start_date: wall('start_date'),
    start_date_details: parts,
    end_date: wall('end_date'),
    end_date_details: parts,
    utc_start_date: wall('utc_start_date'),
    utc_start_date_details: parts,
    utc_end_date: wall('utc_end_date'),
    utc_end_date_details: parts,
    ...shown(eventFields, { timezone: Type.String() }),
    timezone_abbr: Type.String(said('timezone_abbr')),
    ...shown(eventFields, { description: Type.String(), excerpt: Type.String() }),
    image: Type.Union([ref('Image'), Type.Literal(false)], said('image')),
    ...shown(eventFields, { all_day: flag, cost: Type.String(), cost_text: Type.String() }),
    cost_details: object(
      {
        currency_symbol: Type.String(said('currency_symbol')),
        currency_code: Type.String(said('currency_code')),
        currency_position: Type.Enum(['', 'prefix', 'postfix'], said('currency_position')),
        values: Type.Array(Type.String({ pattern: '^\\d+(\\.\\d+)?$' }), said('cost_values')),
      },
      'cost_details',
    ),
    ...shown(eventFields, { website: Type.String() }),
    ...plainOfEvent,
    parent: Type.Optional({ ...id, 'x-text': 'fields.event.parent' }),
    recurrence: { ...orNull(ref('Recurrence')), 'x-text': 'fields.event.recurrence' },
    categories: Type.Array(ref('Category'), said('categories')),
    tags: Type.Array(ref('EventTag'), said('tags')),
    ...byLinkedKind((kind) => {
      const record = ref(responseName(kind))
      return SHOWN_ALONE.includes(kind)
        ? Type.Union([record, Type.Array(record)], said(`${kind}s`))
        : Type.Array(record, said(`${kind}s`))
    }),
    ticketed: Type.Union([Type.Boolean(), Type.Null()], said('ticketed')),
    tickets: Type.Optional(Type.Array(ref('Ticket'), { 'x-text': 'fields.event.tickets' })),
    distance: Type.Optional(Type.Number({ minimum: 0, ...said('distance') })),
    custom_fields: Type.Array(Type.Unknown(), { maxItems: 0, ...said('custom_fields') }),
    json_ld: jsonLd,
  } satisfies JsonProperties & Record<Exclude<keyof typeof eventFields, UnshownEventField>, JsonSchema>,
  'event',
)

const file = {
  url: address('image_url'),
  width: Type.Integer({ minimum: 1, ...said('width') }),
  height: Type.Integer({ minimum: 1, ...said('height') }),
  filesize: Type.Integer({ minimum: 1, ...said('filesize') }),
}
const rendering = object({ ...file, 'mime-type': Type.String(said('mime_type')) }, 'rendering')

const list = (name: string, item: string, hasCursors = false) =>
  object(
    {
      [name]: Type.Array(ref(item), said('items')),
      rest_url: address('list_url'),
      next_rest_url: Type.Optional(address('next_rest_url')),
      previous_rest_url: Type.Optional(address('previous_rest_url')),
      ...(hasCursors && { next_cursor: Type.Optional(Type.String(said('next_cursor'))) }),
      total: count('total'),
      total_pages: count('total_pages'),
    },
    'list',
  )

const ownAccount = {
  id,
  ...shown(userFields, { name: Type.String(), email: Type.String(), role: Type.Enum([...ROLES]) }),
}
const user = {
  ...ownAccount,
  disabled: Type.Boolean({ 'x-text': 'fields.user.disabled' }),
  has_password: Type.Boolean(said('has_password')),
}
const token = {
  id,
  ...shown(tokenFields, { token_name: Type.String() }),
  created_utc: wall('token_created'),
  expires_utc: { ...orNull(wall('token_expires')), ...said('token_expires') },
  used_utc: { ...orNull(wall('token_used')), ...said('token_used') },
}

const webhook = {
  id,
  ...shown(webhookFields, {
    url: Type.String(),
    events: Type.Array(Type.Enum(WEBHOOK_EVENTS)),
    active: Type.Boolean(),
    description: Type.String(),
    payload: Type.Enum([...PAYLOADS]),
  }),
  created_utc: wall('webhook_created'),
}
const delivery = {
  id: Type.String(said('delivery_id')),
  type: Type.String(said('delivery_type')),
  status: Type.Enum([...DELIVERY_STATUSES], said('delivery_status')),
  attempts: count('delivery_attempts'),
  data: object({ type: Type.Enum([...CHANGE_KINDS], said('change_type')), id }, 'delivery_data'),
  created_utc: wall('delivery_created'),
  next_attempt_utc: { ...orNull(wall('delivery_next')), ...said('delivery_next') },
  ended_utc: { ...orNull(wall('delivery_ended')), ...said('delivery_ended') },
  response_status: { ...orNull(Type.Integer()), ...said('delivery_response') },
  error: { ...orNull(Type.String()), ...said('delivery_error') },
}

const changedFields = (text: string) => ({ ...orNull(Type.Object({}, { additionalProperties: true })), ...said(text) })
const writer = {
  ...orNull(object({ id, name: Type.String(said('audit_user_name')) }, 'audit_user')),
  ...said('audit_user'),
}
const change = {
  user: writer,
  way: Type.Enum([...WAYS], said('audit_way')),
  action: Type.Enum([...AUDIT_ACTIONS], said('audit_action')),
  before: changedFields('audit_before'),
  after: changedFields('audit_after'),
}
const version = {
  version: Type.Integer({ minimum: 0, ...said('version') }),
  date_utc: { ...orNull(wall('version_date')), ...said('version_date') },
  user: writer,
  way: { ...orNull(change.way), ...said('audit_way') },
}

const free = (text: string) => Type.Object({}, { additionalProperties: true, ...said(text) })

/** All named schemas of the documentation. */
export const RESPONSES = {
  Event: event,
  ...(Object.fromEntries(LINKED_KINDS.map((kind) => [responseName(kind), linked(kind)])) as Record<
    LinkedName,
    JsonSchema
  >),
  Category: term(categoryFields, shown(categoryFields, { parent: Type.Integer({ minimum: 0 }) }), 'category'),
  Tag: term(tagFields, {}, 'tag'),
  EventTag: term(tagFields, { parent: Type.Literal(0, said('tag_parent')) }, 'event_tag'),
  Image: object(
    {
      ...file,
      id,
      ...shown(imageFields, { alt: Type.String() }),
      extension: Type.String(said('extension')),
      sizes: Type.Object({}, { additionalProperties: rendering, ...said('sizes') }),
    },
    'image_record',
  ),
  Ticket: object(
    {
      id,
      ...shown(ticketFields, {
        name: Type.String(),
        price: orNull(Type.String()),
        currency: orNull(Type.String()),
        url: orNull(Type.String()),
        capacity: orNull(Type.Integer()),
      }),
      ...shown(ticketFields, { available_from: orNull(Type.String()), available_until: orNull(Type.String()) }),
    },
    'ticket',
  ),
  Recurrence: object(
    {
      series: { ...id, ...said('series_id') },
      original_start_date: wall('original_start_date'),
      changed: Type.Boolean(said('series_changed')),
      rule: { ...orNull(Type.String()), ...said('series_rule') },
      text: Type.String(said('series_text')),
      count: { ...orNull(Type.Integer({ minimum: 0 })), ...said('series_count') },
      dates: Type.Optional(Type.Array(Type.String(), said('series_dates'))),
      except: Type.Optional(Type.Array(Type.String(), said('series_except'))),
    },
    'recurrence',
  ),
  EventList: list('events', 'Event', true),
  ...(Object.fromEntries(
    LINKED_KINDS.map((kind) => [`${responseName(kind)}List`, list(`${kind}s`, responseName(kind), true)]),
  ) as Record<`${LinkedName}List`, JsonSchema>),
  CategoryList: list('categories', 'Category', true),
  TagList: list('tags', 'Tag', true),
  ImageList: list('images', 'Image'),
  ImportReport: object(
    {
      created: count('import_created'),
      updated: count('import_updated'),
      unchanged: count('import_unchanged'),
      removed: count('import_removed'),
      skipped: count('import_skipped'),
      notes: Type.Array(
        object(
          {
            line: count('import_line'),
            uid: Type.String(said('import_uid')),
            message: Type.String(said('import_message')),
          },
          'import_note',
        ),
        said('import_notes'),
      ),
    },
    'import_report',
  ),
  Changes: object(
    {
      changes: Type.Array(
        object(
          {
            type: Type.Enum([...CHANGE_KINDS], said('change_type')),
            id,
            action: Type.Enum(['changed', 'removed'], said('change_action')),
            modified_utc: wall('change_modified'),
            record: Type.Optional(
              Type.Union(
                [ref('Event'), ...LINKED_KINDS.map((kind) => ref(responseName(kind))), ref('Category'), ref('Tag')],
                said('change_record'),
              ),
            ),
          },
          'change',
        ),
        said('changes'),
      ),
      next: Type.String(said('changes_next')),
      more: Type.Boolean(said('changes_more')),
    },
    'change_list',
  ),
  AuditEntry: object(
    {
      id,
      date_utc: wall('audit_date'),
      ...change,
      address: { ...orNull(Type.String()), ...said('audit_address') },
      record: object(
        {
          type: Type.Enum([...AUDIT_KINDS], said('audit_type')),
          id: Type.Integer({ minimum: 0, ...said('audit_record_id') }),
          title: Type.String(said('audit_title')),
        },
        'audit_record',
      ),
    },
    'audit_entry',
  ),
  AuditList: list('audit', 'AuditEntry', true),
  Versions: object(
    {
      versions: Type.Array(
        object(
          {
            ...version,
            action: { ...orNull(change.action), ...said('audit_action') },
            before: change.before,
            after: change.after,
          },
          'version_entry',
        ),
        said('versions'),
      ),
      total: count('total'),
      total_pages: count('total_pages'),
    },
    'version_list',
  ),
  Version: object(
    {
      ...version,
      fields: free('version_fields'),
      now: free('version_now'),
      not_restorable: Type.Array(Type.String(), said('version_missing')),
    },
    'version_record',
  ),
  Batch: object(
    {
      rolled_back: Type.Boolean(said('batch_rolled_back')),
      responses: Type.Array(
        object({ status: Type.Integer(said('batch_status')), body: free('batch_body') }, 'batch_response'),
        said('batch_responses'),
      ),
    },
    'batch',
  ),
  Webhook: object(webhook, 'webhook'),
  WebhookList: list('webhooks', 'Webhook'),
  NewWebhook: object({ ...webhook, secret: Type.String(said('webhook_secret')) }, 'new_webhook'),
  Delivery: object(delivery, 'delivery'),
  Deliveries: object(
    {
      deliveries: Type.Array(ref('Delivery'), said('deliveries')),
      total: count('total'),
      total_pages: count('total_pages'),
    },
    'delivery_list',
  ),
  OwnAccount: object(ownAccount, 'own_account'),
  User: object(user, 'user'),
  UserList: list('users', 'User'),
  Invitation: object({ ...user, invitation_url: address('invitation_url') }, 'invitation'),
  Token: object(token, 'token'),
  Tokens: object({ tokens: Type.Array(ref('Token'), said('tokens')) }, 'token_list'),
  NewToken: object({ ...token, token: Type.String(said('token_secret')) }, 'new_token'),
  Index: object({ namespace: Type.String(said('namespace')), routes: free('routes') }, 'index'),
  Document: free('document'),
  Error: object(
    {
      code: Type.String(said('error_code')),
      message: Type.String(said('error_message')),
      data: object(
        {
          status: Type.Integer(said('error_status')),
          params: Type.Optional(
            Type.Union(
              [Type.Array(Type.String()), Type.Object({}, { additionalProperties: Type.String() })],
              said('error_params'),
            ),
          ),
          invalid_params: Type.Optional(
            Type.Object({}, { additionalProperties: Type.String(), ...said('error_invalid_params') }),
          ),
          request_id: Type.Optional(Type.String(said('request_id'))),
          term_id: Type.Optional(Type.Integer(said('term_id'))),
        },
        'error_data',
      ),
    },
    'error',
  ),
  Problem: object(
    {
      type: Type.String(said('problem_type')),
      title: Type.String(said('problem_title')),
      status: Type.Integer(said('error_status')),
      detail: Type.String(said('error_message')),
      code: Type.String(said('error_code')),
      params: Type.Object({}, { additionalProperties: Type.String(), ...said('problem_params') }),
      request_id: Type.Optional(Type.String(said('request_id'))),
      term_id: Type.Optional(Type.Integer(said('term_id'))),
    },
    'problem',
  ),
} as const satisfies Record<string, JsonSchema>

export type ResponseName = keyof typeof RESPONSES
