import { html, type Markup } from '../lib/markup.ts'
import { assetPath } from '../pages/assets.ts'
import { type FormState, textArea } from './form.ts'
import type { StaffContext } from './screen.ts'

/** A textarea, which a script replaces by an editor of rich text. */
export function richText(context: StaffContext, form: FormState, name: string, rows: number): Markup {
  const { t, assets } = context
  const tools = ['label', 'bold', 'italic', 'heading', 'list', 'numbers', 'quote', 'link', 'address']
  const words = JSON.stringify(Object.fromEntries(tools.map((tool) => [tool, t(`manage_screens.rich.${tool}`)])))
  const attributes = html` data-rich="${assetPath(assets, 'squire.js')}" data-tools="${words}"`
  return textArea(context, form, { name, attributes }, rows)
}
