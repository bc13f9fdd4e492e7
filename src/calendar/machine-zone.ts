import { readFileSync, readlinkSync } from 'node:fs'
import { findZone, type Zone } from './zone.ts'

/** Time zone of the machine. The process itself runs in UTC: main.ts keeps the zone that it was started with. */
export function machineZone(): Zone {
  const named = process.env.MACHINE_TZ ?? ''
  return findZone(named) ?? findZone(linkedZone()) ?? findZone(writtenZone()) ?? 'UTC'
}

/** `/etc/localtime` is a link into the database of zones. */
function linkedZone(): string {
  try {
    return /zoneinfo\/(.+)$/.exec(readlinkSync('/etc/localtime'))?.[1] ?? ''
  } catch {
    return ''
  }
}

function writtenZone(): string {
  try {
    return readFileSync('/etc/timezone', 'utf8').trim()
  } catch {
    return ''
  }
}
