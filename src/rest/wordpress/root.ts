/** Root of the WordPress interfaces that a mount lies below, such as `/wp-json`; null if it lies below none. */
export function wordpressRoot(mount: string): string | null {
  return /^(.*\/wp-json)\/./.exec(mount)?.[1] ?? null
}
