import { TRASHED_SUFFIX } from '../lib/slug.ts'
import type { Site } from './scope.ts'

/** An event's slug, and the one that it had before it came into the trash. */
interface Named {
  readonly slug: string
  readonly restore_slug: string | null
}

const EVENT_PAGE = /^\/(?:([a-z-]+)\/)?event\/([^/]+)\/?$/

/**
 * Whether a website is the address of the event itself, as it was or will be: an event without a website answers it there.
 * It may have a language, another case of the host, or no slash at its end.
 */
export function isOwnAddress(
  website: string,
  { home, languages }: Pick<Site, 'home' | 'languages'>,
  names: readonly (Named | null)[],
): boolean {
  const [base, given] = [new URL(`${home}/`), new URL(website)]
  if (given.host !== base.host || !given.pathname.startsWith(base.pathname) || given.search !== '') return false
  const [, language, found = ''] = EVENT_PAGE.exec(given.pathname.slice(base.pathname.length - 1)) ?? []
  if (language !== undefined && !languages.includes(language)) return false
  // Slugs are percent-encoded in lower case.
  const slug = found.toLowerCase()
  const slugs = names.flatMap((name) => [name?.slug, name?.restore_slug])
  return slugs.some((own) => own !== undefined && own !== null && (slug === own || slug === `${own}${TRASHED_SUFFIX}`))
}
