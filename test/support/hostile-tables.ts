const HEADER = 'Event Name,Event Start Date,Event Start Time,Event Category,Event Description,Event Cost\n'

const repeated = (text: string, size: number) => text.repeat(Math.max(1, Math.floor(size / text.length)))

/** Rows of a table with our header, until a size is reached. */
function rows(size: number, row: (n: number) => string): string {
  const all: string[] = [HEADER]
  for (let n = 0, length = 0; length < size; n++) {
    const next = `${row(n)}\n`
    length += next.length
    all.push(next)
  }
  return all.join('')
}

/** Tables that would take long if anything in them were read carelessly, by what they have; each of a size in characters. */
export const HOSTILE_TABLES: Record<string, (size: number) => string | Buffer> = {
  'short rows': (size) => rows(size / 50, (n) => `E${n},2031-06-10,19:00,,,`),
  'unclear dates': (size) => rows(size / 50, (n) => `E${n},${(n % 12) + 1}/${((n * 7) % 12) + 1}/2031,7:00 PM,,,`),
  // Each row is refused alike. More of them only meet more pauses of the garbage collector.
  'bad rows': (size) => rows(size / 5, () => ',,,,,,,,,,,,,x'),
  'many venues': (size) =>
    `Venue Name,Venue City\n${Array.from({ length: Math.floor(size / 1000) }, (_, n) => `Hall ${n},City ${n}`).join('\n')}\n`,
  'a huge cell': (size) => `${HEADER}A,2031-06-10,19:00,,"${'x'.repeat(size)}",\nB,2031-06-11,19:00,,,\n`,
  'a huge date': (size) => rows(size, () => `A,1/2/2031${' '.repeat(900_000)}x,19:00,,,`),
  'a huge time': (size) => rows(size, () => `A,2031-06-10,19${' '.repeat(900_000)}x,,,`),
  'many categories': (size) => rows(size, () => `A,2031-06-10,19:00,"${repeated('ab,', 900_000)}",,`),
  'long descriptions': (size) => rows(size, (n) => `E${n},2031-06-10,19:00,,"${'<b>x</b> '.repeat(10_000)}",`),
  'a row of separators': (size) => `${HEADER}${','.repeat(size)}\n`,
  'a million columns': (size) => `${repeated('a,', size)}\n1,2\n`,
  'a million columns after ours': (size) => `${HEADER.trim()}${repeated(',b', size)}\n1,2\n`,
  'columns without a name': (size) =>
    `${HEADER.trim()}${repeated(',', size / 2)}\n${rows(size / 20, () => 'A,2031-06-10')}`,
  'no newline': (size) => repeated('title,start_date,', size),
  'an open quote': (size) => `"title,start_date\n${repeated('A,2031-06-10\n', size)}`,
  'an open quote in a row': (size) => `${HEADER}A,"${repeated('A,2031-06-10\n', size)}`,
  quotes: (size) => `${HEADER}${'"'.repeat(size)}\n`,
  'quotes apart': (size) => `${HEADER}${repeated('"",', size)}\n`,
  'mixed separators': (size) => `${HEADER}${repeated('a;b\tc,', size)}\n`,
  'empty lines': (size) => `${HEADER}${'\n'.repeat(size)}`,
  'text in UTF-16': (size) => Buffer.from(`\ufeff${rows(size / 50, (n) => `Ä${n},2031-06-10,,,,`)}`, 'utf16le'),
}
