/**
 * Unicode case folding for search and sort keys. Upper case first, so that `ß` equals `SS`. The final sigma is
 * lower-cased by context, so it is unified by hand.
 */
export function fold(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}
