import type { Theme } from './organizers.ts'
import type { Motif } from './posters.ts'

/** What happens again and again, under one title. */
export interface Series {
  readonly title: string
  readonly category: string
  readonly motif: Motif
  readonly place: string
  readonly by: Theme
  /** Days of the week, 1 for Monday. */
  readonly day: number
  /** Every so many weeks. */
  readonly every: 1 | 2 | 4
  readonly start: string
  readonly minutes: number
  /** The first and last month of its season; none for all year. */
  readonly months?: readonly [number, number]
  readonly allDay?: true
  readonly cost: string
  readonly tags: readonly string[]
  readonly text: string
  /** The language that its texts are in, if not English. */
  readonly language?: string
}

const NAMES = ['title', 'category', 'motif', 'place', 'by', 'when', 'minutes', 'cost', 'tags', 'text'] as const
type Line = Record<(typeof NAMES)[number], string>

/** `when` is the day, how many weeks apart, the time, and the months: `3/1 19:30 9-6`. */
function series(line: Line, more: Partial<Series> = {}): Series {
  const [, day, every, start = '', from, to] = /^(\d)\/(\d) (\S+)(?: (\d+)-(\d+))?$/.exec(line.when) ?? []
  return {
    ...line,
    motif: line.motif as Motif,
    by: line.by as Theme,
    day: Number(day),
    every: Number(every) as Series['every'],
    start,
    minutes: Number(line.minutes),
    ...(from !== undefined && { months: [Number(from), Number(to)] as const }),
    tags: line.tags.split(', '),
    ...more,
  }
}

/** One line each: title | category | motif | place | theme | when | minutes | cost | tags | text. */
const TABLE = `
Farmers’ and makers’ market | Markets | market | Assembly Square | market | 6/1 09:00 | 300 | Free | market, free | Bread, cheese, fish, flowers, honey, and the first asparagus of the year when there is any. Seventy growers and makers, none from further than forty kilometres.
Harbour session | Folk & Traditional | music | The Blue Anchor | folk | 2/1 21:00 | 150 | Free | session, live music | The Tuesday session has been going since 1987. Sit near the fire and play along, or near the bar and listen.
Sunday strand run, five kilometres | Running | sport | Strandside Slipway | running | 7/1 09:30 | 75 | Free | sport, outdoors | Timed, free, and friendly to every pace. Tea in the pavilion afterwards.
Toddler rhyme time | Family | family | Northgate Library | family | 3/1 10:30 9-6 | 45 | Free | children, indoors | Songs, rhymes and a parachute for children under three. Older brothers and sisters may help.
Weavers’ Mile Community Choir | Choirs | music | Weavers’ Hall | choir | 1/1 19:00 9-6 | 90 | €4 | choir, beginners | No auditions, no score reading, no excuses. We sing everything from lullabies to disco.
Repair café | Neighbourhood | houses | Bridge Street Repair Shop | community | 6/2 11:00 | 180 | Donation | free, neighbours | Bring what is broken: toasters, trousers, bicycles, lamps. Somebody will show you how to mend it.
Life drawing | Exhibitions | art | The Dye House | art | 4/1 19:00 9-6 | 120 | €10 | art, workshop | Short poses, long poses, easels, paper and tea. For every hand, from first line to thousandth.
Morning yoga by the sea | Wellbeing | calm | Strandside Pavilion | wellbeing | 5/2 07:30 | 60 | €10 | wellbeing, beginners | An hour of gentle yoga with the tide. Indoors when it blows.
Chess for all | Games | family | The Weaver’s Arms | games | 1/2 19:00 | 180 | Free | games, indoors | Boards, clocks and opponents of every strength. Beginners are taught from eight o’clock.
Lunchtime organ | Classical | music | St Brendan’s Church | classical | 4/2 13:10 | 30 | Free | chamber music, free | Half an hour of organ music in the middle of the day. Bring a sandwich; nobody minds.
Open mic at the Loft | Poetry & Spoken word | books | The Loft | comedy | 3/2 20:00 | 120 | €5 | open mic, late | Songs, stories, jokes, juggling: eight minutes each, first come, first heard.
Silent Sunday | Film | film | The Lantern Cinema | film | 7/4 17:00 | 100 | €9 | film, seated | A silent film on the large screen, with the house organist improvising from the first frame to the last.
Swing on the Quay | Dance | stage | Assembly Rooms | dance | 4/2 19:30 | 150 | €8 | dance, beginners | A beginners’ lesson at half past seven, then social dancing until ten. Partners are found on the spot.
Bandstand concert | Folk & Traditional | music | Castle Park Bandstand | city | 7/1 15:00 5-9 | 90 | Free | live music, open air, summer | Brass bands, string bands and once a year an accordion orchestra, under the lime trees.
Evening swim | On the water | sea | Lighthouse Point Pier | water | 3/1 18:30 5-9 | 60 | Free | sea, outdoors, summer | A swim along the buoys with the Strandside swimmers. Flasks are shared afterwards.
Stars over Star Hill | Lectures | learn | The Observatory | science | 5/2 20:00 10-3 | 120 | €6 | talk, family | A short talk, then the great telescope. In cloud, the planetarium in the cellar.
Gardeners’ morning | Neighbourhood | nature | Millbrook Community Garden | nature | 6/1 10:00 3-10 | 150 | Free | outdoors, neighbours | Sow, weed, turn the compost, eat soup. Tools and gloves are in the shed.
Children’s pottery club | Workshops | craft | Pottery on the Hill | craft | 2/1 15:30 9-6 | 90 | €12 | children, workshop | Pinch pots, coils, creatures. A term of making for seven- to twelve-year-olds.
Jazz at the Cellar | Jazz & Blues | music | Cellar 19 | jazz | 5/2 21:00 | 150 | €8 | live music, late | The house trio and whoever is passing through town.
Pub quiz at the Weaver’s Arms | Games | family | The Weaver’s Arms | games | 4/2 20:00 | 120 | €3 | games, late | Forty questions, one picture round, one round that nobody can explain.
`

const FIXED = TABLE.trim()
  .split('\n')
  .map((line) => {
    const cells = line.split(' | ')
    return series(Object.fromEntries(NAMES.map((name, column) => [name, cells[column] ?? ''])) as Line)
  })
  .map((one) => (one.category === 'Markets' ? { ...one, allDay: true as const } : one))

/** In the languages that are spoken at the quay. */
const FOREIGN = [
  series(
    {
      title: 'Café-conversation : parlons français',
      category: 'Languages',
      motif: 'learn',
      place: 'Whitfield Bookshop',
      by: 'language',
      when: '3/2 18:30',
      minutes: '90',
      cost: 'Free',
      tags: 'language, free',
      text: 'Une heure et demie pour parler français autour d’un café, sans notes et sans crainte des fautes. Tous les niveaux sont les bienvenus ; un thème est proposé, rarement suivi.',
    },
    { language: 'fr' },
  ),
  series(
    {
      title: 'Deutscher Stammtisch',
      category: 'Languages',
      motif: 'learn',
      place: 'Ryan & Daughter',
      by: 'language',
      when: '2/4 19:30',
      minutes: '120',
      cost: 'Free',
      tags: 'language, free',
      text: 'Wir treffen uns einmal im Monat zum Reden, Zuhören und Lachen. Muttersprachler, Lernende und alle, die einmal in Leipzig gewohnt haben, sind herzlich willkommen.',
    },
    { language: 'de' },
  ),
  series(
    {
      title: 'Intercambio: inglés y español',
      category: 'Languages',
      motif: 'learn',
      place: 'Central Library',
      by: 'language',
      when: '4/2 18:00',
      minutes: '90',
      cost: 'Free',
      tags: 'language, free',
      text: 'Media hora en español, media hora en inglés y el resto del tiempo lo que salga. Trae ganas de hablar; nosotros ponemos las mesas y el té.',
    },
    { language: 'es' },
  ),
  series(
    {
      title: 'Ciorcal comhrá',
      category: 'Languages',
      motif: 'learn',
      place: 'The Tin Whistle',
      by: 'language',
      when: '1/2 19:00',
      minutes: '90',
      cost: 'Free',
      tags: 'language, free',
      text: 'Oíche chomhrá i nGaeilge do chách, idir fhoghlaimeoirí agus chainteoirí dúchais. Tae, ceol agus neart cainte. Bígí linn!',
    },
    { language: 'ga' },
  ),
]

export const SERIES: readonly Series[] = [...FIXED, ...FOREIGN]
