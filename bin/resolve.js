import { registerHooks } from 'node:module'

const root = new URL('..', import.meta.url).href
/** Folders of sources, which run as they are. */
const sources = ['src', 'test', 'scripts'].map((folder) => `${root}${folder}/`)

// Of our files and those of a package with hundreds of small ones, a relative import names the file itself: there is
// nothing to search for, and most of what Node does to load a module is searching.
registerHooks({
  resolve(specifier, context, next) {
    const format = specifier[0] === '.' ? formatOf(specifier, context.parentURL) : undefined
    if (format === undefined) return next(specifier, context)
    return { url: new URL(specifier, context.parentURL).href, format, shortCircuit: true }
  },
})

/** What a file is that one of these modules names; undefined of those we know nothing about. */
function formatOf(specifier, parent) {
  if (/\/node_modules\/kysely\//.test(parent)) return 'module'
  if (specifier.endsWith('.ts') && sources.some((folder) => parent.startsWith(folder))) return 'module-typescript'
  if (parent.startsWith(`${root}dist/`) && specifier.endsWith('.js')) return 'module'
}
