import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk of few megabytes. */
export interface SmallDisk {
  readonly folder: string
  /** Leaves no room, or so many bytes. */
  fill(leave?: number): void
  /** Gives the room back. */
  empty(): void
  remove(): void
}

/** Makes one, if this machine lets us. */
function mountDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-disk-'))
  const filler = join(folder, 'filler')
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'pipe' })
  } catch (error) {
    rmSync(folder, { recursive: true })
    throw error
  }
  return {
    folder,
    fill(leave = 0) {
      const rest = `${filler}-rest`
      writeFileSync(rest, Buffer.alloc(leave))
      fillWith(filler)
      rmSync(rest)
    },
    empty: () => rmSync(filler, { force: true }),
    remove() {
      execFileSync('umount', ['-l', folder], { stdio: 'pipe' })
      rmSync(folder, { recursive: true })
    },
  }
}

function fillWith(path: string): void {
  const file = openSync(path, 'a')
  const block = Buffer.alloc(4096)
  try {
    for (;;) writeSync(file, block)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
}

function unless(works: () => void, reason: string): string | false {
  try {
    works()
    return false
  } catch {
    return reason
  }
}

/** Why tests of a full disk do not run here, or false. */
export const NO_DISK: string | false = unless(
  () => mountDisk(1).remove(),
  'needs the right to mount a small disk (tmpfs)',
)

/** Why tests of files that may not grow do not run here, or false. */
export const NO_LIMIT: string | false = unless(
  () => execFileSync('prlimit', ['--fsize'], { stdio: 'pipe' }),
  'needs the command prlimit',
)

export { mountDisk }
