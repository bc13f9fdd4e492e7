import assert from 'node:assert/strict'
import type { Json, Service } from './service.ts'

/** An occurrence in the model. */
interface Member {
  readonly id: number
  isLive: boolean
  /** What it has of its own. */
  title: string | null
  start: string | null
}

/** A series in the model. Days are numbers from 2031-01-01 on; every occurrence begins at ten. */
interface Series {
  readonly id: number
  title: string
  start: number
  rule: { readonly step: number; readonly count: number } | null
  dates: Set<number>
  except: Set<number>
  members: Map<number, Member>
}

type Random = (below: number) => number

const TAG = 'modelled'
const wall = (day: number) => `${new Date(Date.UTC(2031, 0, 1 + day)).toISOString().slice(0, 10)} 10:00:00`
const dayOf = (text: string) => Math.round((Date.parse(`${text.slice(0, 10)}Z`) - Date.UTC(2031, 0, 1)) / 86_400_000)
const inOrder = (days: Iterable<number>) => [...days].sort((one, other) => one - other)
const ruleText = ({ step, count }: { step: number; count: number }) => `FREQ=DAILY;INTERVAL=${step};COUNT=${count}`

/** All days of a series, exceptions too. */
function daysOf({ start, rule, dates }: Pick<Series, 'start' | 'rule' | 'dates'>): number[] {
  const byRule = Array.from({ length: rule?.count ?? 1 }, (_, n) => start + n * (rule?.step ?? 0))
  return inOrder(new Set([...byRule, ...dates]))
}

/** Changes series over HTTP at random, and the same in a plain model in memory. */
export class SeriesModel {
  readonly #service: Service
  readonly #random: Random
  readonly #series = new Map<number, Series>()
  readonly #slugs = new Map<number, string>()
  /** Published events that left their series. */
  readonly #singles = new Set<number>()
  #titles = 0

  constructor(service: Service, random: Random) {
    this.#service = service
    this.#random = random
  }

  /** Does one thing, and names it. */
  async step(): Promise<string> {
    if (this.#series.size < 2 || (this.#series.size < 5 && this.#random(8) === 0)) return this.#create()
    const series = this.#pick([...this.#series.values()])
    const live = [...series.members].filter(([, member]) => member.isLive)
    const trashed = [...series.members].filter(([, member]) => !member.isLive)
    if (trashed.length > 0 && (live.length === 0 || this.#random(4) === 0))
      return this.#restore(series, this.#pick(trashed))
    const [day, member] = this.#pick(live)
    switch (this.#random(11)) {
      case 0:
        return this.#retitle(series, day, member)
      case 1:
        return this.#moveOne(day, member)
      case 2:
        return this.#retitleAll(series, member)
      case 3:
        return this.#moveAll(series, member)
      case 4:
        return this.#changeRule(series, member)
      case 5:
      case 6:
        return this.#split(series, day, member)
      case 7:
      case 8:
        return this.#remove(series, day, member)
      case 9:
        return this.#detach(series, day, member)
      default:
        return this.#refuse(member)
    }
  }

  /** Compares the service with the model. */
  async check(): Promise<void> {
    let counted = this.#singles.size
    for (const series of this.#series.values()) counted += await this.#checkSeries(series)
    const { tags } = await this.#service.expect(200, 'editor', '/tags', { query: { search: TAG, hide_empty: false } })
    assert.equal(tags[0]?.count ?? 0, counted, 'the count of the tag')
    for (const id of this.#singles)
      assert.equal((await this.#service.expect(200, null, `/events/${id}`)).recurrence, null)
  }

  async #checkSeries(series: Series): Promise<number> {
    const { id, members, except } = series
    const found = await this.#list(id, 'publish,trash')
    const shown = found.map(({ id: one, status, title, start_date, recurrence }) => ({
      id: one,
      status,
      title,
      start_date,
      series: recurrence.series,
      original: recurrence.original_start_date,
      changed: recurrence.changed,
      count: recurrence.count,
    }))
    const expected = [...members].map(([day, member]) => ({
      id: member.id,
      status: member.isLive ? 'publish' : 'trash',
      title: member.title ?? series.title,
      start_date: member.start ?? wall(day),
      series: id,
      original: wall(day),
      changed: member.title !== null || member.start !== null,
      count: daysOf(series).filter((one) => !except.has(one)).length,
    }))
    const byId = (one: { id: number }, other: { id: number }) => one.id - other.id
    assert.deepEqual(shown.sort(byId), expected.sort(byId))
    const ids = new Set(found.map((event) => event.id))
    for (const { parent, slug, status, id: one } of found) {
      if (parent !== undefined) assert.ok(ids.has(parent), 'a parent is of the same series')
      const known = this.#slugs.get(one)
      if (known !== undefined && status === 'publish') assert.equal(slug, known, 'the slug stays')
      if (status === 'publish') this.#slugs.set(one, slug)
      else this.#slugs.delete(one)
    }
    const first = found.find((event) => event.id === id)
    if (first?.status === 'publish') {
      const { recurrence } = await this.#service.expect(200, null, `/events/${id}`)
      assert.deepEqual(recurrence.except, inOrder(except).map(wall))
      assert.deepEqual(recurrence.dates, inOrder(series.dates).map(wall))
      assert.equal(recurrence.rule, series.rule && ruleText(series.rule))
    }
    return expected.filter(({ status }) => status === 'publish').length
  }

  async #list(series: number, status: string): Promise<Json[]> {
    const query = { series, per_page: 50, status }
    return (await this.#service.expect(200, 'editor', '/events', { query })).events
  }

  #pick<T>(list: readonly T[]): T {
    const chosen = list[this.#random(list.length)]
    assert.ok(chosen !== undefined)
    return chosen
  }

  #title(): string {
    this.#titles++
    return `Title ${this.#titles}`
  }

  async #patch(id: number, json: Json, scope: string): Promise<Json> {
    // A dry run changes nothing: the next comparison would tell.
    if (this.#random(3) === 0)
      await this.#service.expect(200, 'editor', `/events/${id}`, {
        method: 'PATCH',
        json: { ...json, scope },
        query: { dry_run: true },
      })
    return this.#service.expect(200, 'editor', `/events/${id}`, { method: 'PATCH', json, query: { scope } })
  }

  async #create(): Promise<string> {
    const start = this.#random(40)
    const rule = { step: 1 + this.#random(4), count: 2 + this.#random(6) }
    const dates = new Set([start + 1 + this.#random(20), start + 1 + this.#random(20)].slice(this.#random(3)))
    const except = new Set([start + rule.step * this.#random(rule.count)].slice(this.#random(2)))
    const title = this.#title()
    const created = await this.#service.expect(201, 'editor', '/events', {
      json: {
        title,
        start_date: wall(start),
        end_date: wall(start).replace('10:00', '11:00'),
        timezone: 'UTC',
        tags: [TAG],
        recurrence: { rule: ruleText(rule), dates: [...dates].map(wall), except: [...except].map(wall) },
      },
    })
    const series = { id: created.id, title, start, rule, dates, except, members: new Map<number, Member>() }
    this.#series.set(series.id, series)
    await this.#learn(series)
    return `create ${series.id}`
  }

  /** Takes the ids of new occurrences from the service: one for each day that has none. */
  async #learn(series: Series): Promise<void> {
    const known = new Set([...series.members.values()].map(({ id }) => id))
    const created = (await this.#list(series.id, 'publish,trash')).filter(({ id }) => !known.has(id))
    const missing = daysOf(series).filter((day) => !series.except.has(day) && !series.members.has(day))
    assert.deepEqual(inOrder(created.map((event) => dayOf(event.recurrence.original_start_date))), missing)
    for (const { id, status, recurrence } of created) {
      const isLive = status === 'publish'
      series.members.set(dayOf(recurrence.original_start_date), { id, isLive, title: null, start: null })
    }
  }

  async #retitle(series: Series, day: number, member: Member): Promise<string> {
    member.title = this.#title()
    await this.#patch(member.id, { title: member.title }, 'this')
    return `title of ${member.id} on ${day} of ${series.id}`
  }

  async #moveOne(day: number, member: Member): Promise<string> {
    const hour = 12 + this.#random(8)
    member.start = wall(day).replace('10:', `${hour}:`)
    await this.#patch(
      member.id,
      { start_date: member.start, end_date: wall(day).replace('10:', `${hour + 1}:`) },
      'this',
    )
    return `time of ${member.id}`
  }

  async #retitleAll(series: Series, member: Member): Promise<string> {
    series.title = this.#title()
    member.title = null
    await this.#patch(member.id, { title: series.title }, 'all')
    return `title of all of ${series.id} by ${member.id}`
  }

  async #moveAll(series: Series, member: Member): Promise<string> {
    const days = 1 + this.#random(3)
    const { start_date, end_date } = await this.#service.expect(200, 'editor', `/events/${member.id}`)
    const later = (text: string) => wall(dayOf(text) + days).slice(0, 10) + text.slice(10)
    await this.#patch(member.id, { start_date: later(start_date), end_date: later(end_date) }, 'all')
    if (member.start !== null) member.start = later(member.start)
    series.start += days
    series.dates = new Set([...series.dates].map((day) => day + days))
    series.except = new Set([...series.except].map((day) => day + days))
    series.members = new Map([...series.members].map(([day, one]) => [day + days, one]))
    return `move ${series.id} by ${days} days`
  }

  async #changeRule(series: Series, member: Member): Promise<string> {
    const rule = { step: 1 + this.#random(4), count: 2 + this.#random(6) }
    const possible = new Set(daysOf({ ...series, rule }))
    if ([...possible].every((day) => series.except.has(day))) return 'nothing'
    await this.#patch(member.id, { recurrence: { rule: ruleText(rule) } }, 'all')
    series.rule = rule
    for (const [day, one] of series.members) {
      if (possible.has(day)) continue
      series.members.delete(day)
      this.#slugs.delete(one.id)
    }
    await this.#learn(series)
    return `rule of ${series.id} by ${member.id}: ${ruleText(rule)}`
  }

  /** Whether nothing of a series comes before an occurrence. */
  #isFirst(series: Series, day: number, { id }: Member): boolean {
    return id === series.id || [...series.members.keys()].every((other) => other >= day)
  }

  #cut(series: Series, day: number, { id }: Member): Series {
    const { start, rule, dates, except, members, title } = series
    const split = <T>(map: Map<number, T>, isLater: boolean) =>
      new Map([...map].filter(([one]) => one >= day === isLater))
    const byRule = daysOf({ start, rule, dates: new Set() })
    const rest = byRule.filter((one) => one >= day)
    const later = inOrder(dates).filter((one) => one > day)
    const isByRule = rest[0] === day && rule !== null
    const tail: Series = {
      id,
      title,
      start: day,
      rule: isByRule ? { ...rule, count: rest.length } : null,
      dates: new Set(isByRule ? later : [...rest, ...later].filter((one) => one !== day)),
      except: new Set([...except].filter((one) => one >= day)),
      members: split(members, true),
    }
    const past = byRule.length - rest.length
    series.rule = rule !== null && past > 1 ? { ...rule, count: past } : null
    series.dates = new Set([...dates].filter((one) => one < day))
    series.except = new Set([...except].filter((one) => one < day))
    series.members = split(members, false)
    return tail
  }

  async #split(series: Series, day: number, member: Member): Promise<string> {
    const title = this.#title()
    const isWhole = this.#isFirst(series, day, member)
    const { recurrence } = await this.#patch(member.id, { title }, 'following')
    const tail = isWhole ? series : this.#cut(series, day, member)
    assert.equal(recurrence.series, tail.id)
    tail.title = title
    member.title = null
    this.#series.set(tail.id, tail)
    return `split ${series.id} at ${member.id}`
  }

  async #remove(series: Series, day: number, member: Member): Promise<string> {
    const scope = this.#pick(['this', 'this', 'this', 'following', 'all'])
    const isForced = this.#random(2) === 0
    const query = { scope, force: isForced }
    if (this.#random(3) === 0)
      await this.#service.expect(200, 'editor', `/events/${member.id}`, {
        method: 'DELETE',
        query: { ...query, dry_run: true },
      })
    await this.#service.expect(200, 'editor', `/events/${member.id}`, { method: 'DELETE', query })
    if (scope === 'this') {
      series.except.add(day)
      if (isForced) this.#leave(series, day, member)
      else member.isLive = false
    } else {
      const isWhole = scope === 'all' || this.#isFirst(series, day, member)
      const removed = isWhole ? series : this.#cut(series, day, member)
      this.#series.set(removed.id, removed)
      if (isForced) this.#series.delete(removed.id)
      for (const one of removed.members.values()) one.isLive = false
    }
    return `remove ${scope} of ${series.id} by ${member.id}${isForced ? ' for good' : ''}`
  }

  #leave(series: Series, day: number, { id }: Member): void {
    series.members.delete(day)
    this.#slugs.delete(id)
    if (series.members.size === 0) this.#series.delete(series.id)
  }

  async #detach(series: Series, day: number, member: Member): Promise<string> {
    await this.#patch(member.id, { recurrence: null }, 'this')
    series.except.add(day)
    this.#leave(series, day, member)
    this.#singles.add(member.id)
    return `detach ${member.id} of ${series.id}`
  }

  async #restore(series: Series, [day, member]: [number, Member]): Promise<string> {
    const scope = this.#pick(['this', 'all'])
    await this.#patch(member.id, { status: 'publish' }, scope)
    const wasRemoved = (one: number) => series.except.has(one)
    if (scope === 'all') for (const [one, other] of series.members) other.isLive ||= !wasRemoved(one)
    member.isLive = true
    series.except.delete(day)
    return `restore ${scope} of ${series.id} by ${member.id}`
  }

  async #refuse(member: Member): Promise<string> {
    const scope = this.#pick(['this', 'following', 'all'])
    const [role, status, json]: ['editor' | 'author', number, Json] = this.#pick([
      ['editor', 400, { title: 'Never', end_date: '1999-01-01' }],
      ['editor', 400, { title: 'Never', recurrence: 'FREQ=DAILY;BYDAY=XX' }],
      ['author', 403, { title: 'Never' }],
    ])
    await this.#service.expect(status, role, `/events/${member.id}`, { method: 'PATCH', json, query: { scope } })
    return `refused ${scope} of ${member.id}`
  }
}
