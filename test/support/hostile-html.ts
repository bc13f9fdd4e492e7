import fc from './property.ts'

/** What HTML is hostile with: tags in every state, entities, quotes, comments, raw text, and what only looks like them. */
export const PIECES = [
  ...['<', '>', '&', '"', "'", '/', '=', '-', '!', '?', ' ', '\n', '\r\n', '\t', 'a', 'word ', 'é', '😀', 'e\u0301'],
  ...[
    '<dl>',
    '</dt>',
    '<p>',
    '</p>',
    '<b>',
    '</b>',
    '<div>',
    '</div>',
    '<br>',
    '</br>',
    '<li>',
    '<ul>',
    '</ul>',
    '<a>',
  ],
  ...['<table>', '<tr>', '<td>', '</table>', '<h1>', '</h1>', '<main>', '</main>', '<form>', '<select>', '<option>'],
  ...[
    '<script>',
    '</script>',
    '<style>',
    '<svg>',
    '<svg/>',
    '</svg>',
    '<math>',
    '<iframe>',
    '<noscript>',
    '<textarea>',
  ],
  ...['<xmp>', '<template>', '</template>', '<object>', '<title>', '<plaintext>', '<x>', '</x>', '<b', '</b', '<a '],
  ...['<!--', '-->', '--!>', '<!', '<!-->', '<?', '<?xml?>', '<![CDATA[', ']]>', '<!doctype html>'],
  ...['<a href="', "<a href='", '<a href=', '">', 'x="1" ', 'x ', '=', '<img src=x>', '<img src="http://a.example/">'],
  ...['<a href="javascript:x">', '<a href="\u0001java\nscript:x">', '<p onclick=x>', '<b class="c">', '<td colspan=2>'],
  ...[
    '&amp;',
    '&lt;',
    '&#x3c;',
    '&#60',
    '&am',
    '&notit;',
    '&#0;',
    '&#x110000;',
    '&CounterClockwiseContourIntegral',
    '&#769;',
    '&#13;',
    '&#10;',
  ],
]

export const piece = fc.constantFrom(...PIECES)

/** A text of at most so many pieces. */
export const hostileHtml = (most: number) => fc.array(piece, { maxLength: most }).map((pieces) => pieces.join(''))

/** Texts that repeat a few pieces: `make(length)` gives one of about that length. */
export const repeatedHtml = fc
  .tuple(
    fc.array(piece, { maxLength: 3 }),
    fc.array(piece, { minLength: 1, maxLength: 4 }),
    fc.array(piece, { maxLength: 3 }),
  )
  .map(([head, body, tail]) => ({
    name: JSON.stringify([head, body, tail].map((pieces) => pieces.join(''))),
    make: (length: number) =>
      head.join('') + body.join('').repeat(Math.ceil(length / body.join('').length)) + tail.join(''),
  }))
