/** Writes a value as YAML. */
type Write = (value: unknown) => string

/** Objects are split into steps down to this depth. */
const DEPTH = 2

/** Writes an object as YAML in short steps, so that a large one does not hold the event loop. */
export function* writeYaml(value: object, write: Write, depth = DEPTH): Generator<void, string> {
  let text = ''
  for (const [key, part] of Object.entries(value)) {
    if (depth > 0 && isObject(part)) {
      const named = write({ [key]: 0 }).replace(/ 0\n$/, '\n')
      text += `${named}${indented(yield* writeYaml(part, write, depth - 1))}`
    } else {
      text += write({ [key]: part })
      yield
    }
  }
  return text
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}
