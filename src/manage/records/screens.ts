import { LINKED_KINDS } from '../../schema/linked.ts'
import type { Screen } from '../screen.ts'
import { editorScreens } from './editor.ts'
import { linkedEditor } from './linked.ts'
import { linkedList, termList } from './list.ts'
import { termEditor } from './term.ts'

const TERM_KINDS = ['category', 'tag'] as const

/** Lists and editors of venues, organizers, categories and tags. */
export const recordScreens: readonly Screen[] = [
  ...LINKED_KINDS.flatMap((kind) => [linkedList(kind), ...editorScreens(linkedEditor(kind))]),
  ...TERM_KINDS.flatMap((kind) => [termList(kind), ...editorScreens(termEditor(kind))]),
]
