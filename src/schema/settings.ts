import { parseColour } from '../lib/colour.ts'
import { LANGUAGES } from '../lib/texts.ts'
import { Upload } from '../lib/upload.ts'
import { declare, Refused, type Values, type ValueType } from './field.ts'
import { Type } from './json-schema.ts'
import * as types from './value-types.ts'

/** Settings that are kept in the database. Their names are those of the variables, in lower case. */

const MAX_NAME = 100
const MAX_CURRENCY = 5

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
export const CLOCKS = ['12', '24'] as const
export const DATE_ORDERS = ['dmy', 'mdy'] as const
export type DateFieldOrder = (typeof DATE_ORDERS)[number]

function shortText(longest: number): ValueType<string> {
  return {
    type: 'string',
    schema: Type.String({ maxLength: longest }),
    read(raw, reading) {
      const text = types.text.read(raw, reading)
      if (text.length > longest) throw new Refused('too_long', { longest })
      return text
    },
  }
}

const colour: ValueType<string> = {
  type: 'string',
  schema: Type.String({ pattern: '^#([\\da-fA-F]{3}){1,2}$' }),
  read(raw, reading) {
    const text = types.exact.read(raw, reading).trim()
    if (parseColour(text) === null) throw new Refused('not_a_colour')
    return text
  },
}

/** Whether a text is the address of map tiles. */
export function isTiles(address: string): boolean {
  return ['{z}', '{x}', '{y}'].every((part) => address.includes(part))
}

const tiles: ValueType<string> = {
  ...types.url,
  read(raw, reading) {
    const address = types.exact.read(raw, reading).trim()
    if (!/^https?:\/\/[^\s<>"]+$/.test(address) || !URL.canParse(address) || !isTiles(address))
      throw new Refused('not_tiles')
    return address
  },
}

/** An address, or a file. */
const logo: ValueType<string | Upload> = {
  ...types.url,
  read: (raw, reading) => (raw instanceof Upload ? raw : types.url.read(raw, reading)),
}

/** A flag as a checkbox sends it, too. */
const checked: ValueType<boolean> = {
  ...types.flag,
  read: (raw, reading) => raw === 'on' || types.flag.read(raw, reading),
}

export const settingFields = declare('settings', {
  site_name: { kind: shortText(MAX_NAME) },
  logo: { kind: logo },
  accent: { kind: colour },
  timezone: { kind: types.zone },
  currency: { kind: shortText(MAX_CURRENCY) },
  week_start: { kind: types.oneOf(...WEEKDAYS) },
  clock: { kind: types.oneOf(...CLOCKS) },
  tiles: { kind: tiles },
  suggest: { kind: checked },
  date_order: { kind: types.oneOf(...DATE_ORDERS) },
  language: { kind: types.oneOf(...LANGUAGES) },
})

export type SettingField = keyof typeof settingFields
export type SettingValues = Values<typeof settingFields>
