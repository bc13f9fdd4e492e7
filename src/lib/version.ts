import { readFileSync } from 'node:fs'
import { once } from './lazy.ts'

const manifest = once(
  () => JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string },
)

/** Version of Kalends. */
export function version(): string {
  return manifest().version
}
