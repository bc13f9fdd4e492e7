import { type Frequency, type Rule, RuleError, readRule } from './recurrence-rule.ts'

/** The text of a recurrence rule, part by part. */

/** A rule in its usual spelling: upper case, without `RRULE:` and spaces, each value once. */
export function tidyRule(text: string): string {
  return text
    .trim()
    .replace(/^RRULE:/i, '')
    .toUpperCase()
    .split(';')
    .map((part) => withoutDoubles(part.replace(/\s+/g, '')))
    .filter((part) => part !== '')
    .join(';')
}

function withoutDoubles(part: string): string {
  return part.replace(/(?<==)[^=]*$/, (list) => [...new Set(list.split(','))].join())
}

/** The same rule with another value of a part; without the part if the value is null. */
export function withPart(rule: string, name: string, value: string | null): string {
  const parts = rule.split(';')
  const at = parts.findIndex((part) => part.startsWith(`${name}=`))
  const written = value === null ? [] : [`${name}=${value}`]
  if (at === -1) return [...parts, ...written].join(';')
  return [...parts.slice(0, at), ...written, ...parts.slice(at + 1)].join(';')
}

/** Whether a rule gives times without end. */
export function isEndless(rule: string | null): boolean {
  return rule !== null && !/(^|;)(COUNT|UNTIL)=/.test(rule)
}

/** Frequencies of whole events. */
const WHOLE: readonly Frequency[] = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY']

/**
 * Reads a rule as RFC 5545 §3.3.10 has it. Parts that a frequency does not allow, or that exclude each other, are refused:
 * programs read such rules in different ways.
 */
export function readStrictRule(text: string): Rule {
  const rule = readRule(text, 'UTC')
  const { frequency } = rule
  const refuseIf = (isBad: boolean, part: string) => {
    if (isBad) throw new RuleError(part)
  }
  const part = (name: string) => text.split(';').find((one) => one.startsWith(`${name}=`)) ?? name
  refuseIf(!WHOLE.includes(frequency), part('FREQ'))
  refuseIf(rule.count !== null && rule.until !== null, `${part('COUNT')};${part('UNTIL')}`)
  refuseIf(rule.byWeek.length > 0 && frequency !== 'YEARLY', part('BYWEEKNO'))
  refuseIf(rule.byYearDay.length > 0 && frequency !== 'YEARLY', part('BYYEARDAY'))
  refuseIf(rule.byMonthDay.length > 0 && frequency === 'WEEKLY', part('BYMONTHDAY'))
  const hasNumbers = rule.byDay.some(({ nth }) => nth !== 0)
  refuseIf(hasNumbers && (frequency === 'DAILY' || frequency === 'WEEKLY'), part('BYDAY'))
  refuseIf(hasNumbers && rule.byWeek.length > 0, part('BYDAY'))
  const others = [rule.byMonth, rule.byWeek, rule.byYearDay, rule.byMonthDay, rule.byDay, rule.byHour]
  const hasOther = [...others, rule.byMinute, rule.bySecond].some((values) => values.length > 0)
  refuseIf(rule.byPosition.length > 0 && !hasOther, part('BYSETPOS'))
  return rule
}
