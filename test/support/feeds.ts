import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { feedFormats } from '../../src/feeds/formats.ts'
import { type Json, type Service, startService } from './service.ts'

/** The endings of the feeds of lists. */
export const FEED_EXTENSIONS = feedFormats('lists').map(({ extension }) => extension)

/** A calendar whose feeds are read. */
export interface Feeds {
  readonly service: Service
  /** By its clock, which tests move. */
  now: number
  create(json: object, path?: string): Promise<Json>
  event(title: string, more?: object): Promise<Json>
  get(url: string, headers?: Record<string, string>, method?: 'GET' | 'HEAD'): Promise<LightMyRequestResponse>
  /** The text of a feed that is there. */
  feed(url: string): Promise<string>
}

/** A calendar for the tests of a file. */
export function useFeeds(): Feeds {
  let service: Service | null = null
  before(async () => {
    service = await startService({ clock: () => feeds.now })
  })
  after(() => service?.close())
  const feeds: Feeds = {
    get service() {
      if (service === null) throw new Error('the service has not started')
      return service
    },
    now: Date.UTC(2031, 5, 1, 12) / 1000,
    async create(json, path = '/events') {
      const made = await feeds.service.expect(201, 'administrator', path, { json })
      // Time goes by between two changes.
      feeds.now += 10
      return made
    },
    event: (title, more = {}) =>
      feeds.create({
        title,
        start_date: '2031-06-10 19:00',
        end_date: '2031-06-10 22:00',
        timezone: 'Europe/Paris',
        ...more,
      }),
    get: (url, headers = {}, method = 'GET') => feeds.service.inject({ url, headers, method }),
    async feed(url) {
      const answer = await feeds.get(url)
      assert.equal(answer.statusCode, 200, answer.body)
      return answer.body
    },
  }
  return feeds
}
