/** Ids per page: few pages are needed, as ids are near each other. */
const PAGE = 16_384

/** Marks of records, a bit each: which words of a search an event or a name has. */
export class Marks {
  readonly #pages = new Map<number, Uint32Array>()

  /** Adds marks to records, whose ids are given as a JSON list. */
  add(marks: number, list: string): void {
    const ids: readonly number[] = JSON.parse(list)
    let number = -1
    let page: Uint32Array = new Uint32Array(0)
    for (const id of ids) {
      const place = id % PAGE
      const next = (id - place) / PAGE
      if (next !== number) {
        number = next
        page = this.#page(number)
      }
      page[place] = (page[place] ?? 0) | marks
    }
  }

  /** Ids of the records that have all marks, in order. */
  having(all: number): number[] {
    const ids: number[] = []
    for (const [number, page] of [...this.#pages].sort(([one], [other]) => one - other))
      for (let place = 0; place < PAGE; place++) if (((page[place] ?? 0) & all) === all) ids.push(number * PAGE + place)
    return ids
  }

  /** All records that have a mark. */
  *[Symbol.iterator](): Generator<[id: number, marks: number]> {
    for (const [number, page] of this.#pages)
      for (let place = 0; place < PAGE; place++) {
        const marks = page[place] ?? 0
        if (marks !== 0) yield [number * PAGE + place, marks]
      }
  }

  #page(number: number): Uint32Array {
    let page = this.#pages.get(number)
    if (page === undefined) {
      page = new Uint32Array(PAGE)
      this.#pages.set(number, page)
    }
    return page
  }
}
