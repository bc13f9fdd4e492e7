/**
 * Folds case for all of Unicode, so that two texts that differ only in case become equal: for searching and for ordering.
 * Upper case first, so that `ß` meets `SS`; the final sigma is lower-cased by context and so is unified by hand.
 */
export function fold(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}
