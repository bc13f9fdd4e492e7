import { declare } from './field.ts'
import * as types from './value-types.ts'

/** What the public form asks of the person who sends it. */
export const senderFields = declare('suggestion', {
  sender_name: { kind: types.text },
  sender_email: { kind: types.email },
})
