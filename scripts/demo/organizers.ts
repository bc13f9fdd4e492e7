/** What an organizer is about; kinds of events name who would hold them. */
export type Theme =
  | 'classical'
  | 'jazz'
  | 'folk'
  | 'rock'
  | 'electronic'
  | 'choir'
  | 'stage'
  | 'comedy'
  | 'dance'
  | 'film'
  | 'art'
  | 'craft'
  | 'food'
  | 'market'
  | 'family'
  | 'nature'
  | 'cycling'
  | 'water'
  | 'history'
  | 'science'
  | 'books'
  | 'language'
  | 'sport'
  | 'running'
  | 'community'
  | 'wellbeing'
  | 'city'
  | 'games'

/** Eighty names, by what they are about. */
export const ORGANIZERS: Readonly<Record<Theme, readonly string[]>> = {
  classical: [
    'Port Lorcan Sinfonia',
    'Halyard Chamber Players',
    'Friends of the St Brendan’s Organ',
    'Young Strings Academy',
  ],
  jazz: ['Cellar 19 Jazz Society', 'Harbour Big Band'],
  folk: ['South Coast Traditional Music Circle', 'The Session Keepers', 'Port Lorcan Pipers'],
  rock: ['Loud Tide Promotions', 'The Cooperage Live', 'Northgate Sound'],
  electronic: ['Undertow Collective', 'Slow Circuit'],
  choir: ['City Chamber Choir', 'Quayside Gospel Choir', 'Weavers’ Mile Community Choir'],
  stage: ['Theatre Royal Company', 'Glasshouse New Writing', 'Strolling Players of Port Lorcan', 'Small World Puppets'],
  comedy: ['The Loft Comedy Club', 'Second Thoughts Improv'],
  dance: ['Tern Dance Company', 'Assembly Ballroom Society', 'Swing on the Quay'],
  film: ['Lantern Film Club', 'Silent Sundays', 'Electric Palace Neighbours’ Cooperative', 'University Film Society'],
  art: ['Municipal Gallery Education', 'Dye House Artists', 'Kiln Gallery', 'Urban Sketchers of the South Coast'],
  craft: ['Makers’ Yard', 'The Print Room Press', 'Guild of Handweavers', 'Pottery on the Hill'],
  food: ['Harbour Kitchen School', 'Slow Table', 'Vine & Vessel', 'South Coast Cheesemakers'],
  market: ['Market Traders of Port Lorcan', 'Second Spring Flea Market'],
  family: ['Story Corner', 'Wild Saturday Club', 'Museum Kids', 'Junior Inventors'],
  nature: [
    'Port Lorcan Naturalists’ Field Club',
    'Friends of the Botanic Garden',
    'Millbrook Community Garden',
    'Cliff Path Wardens',
  ],
  cycling: ['Two Wheels Port Lorcan', 'Kidical Ride'],
  water: ['Port Lorcan Rowing Club', 'Strandside Sea Swimmers', 'Lighthouse Sailing School'],
  history: ['Port Lorcan Historical Society', 'Yellow Umbrella Walks', 'Maritime Museum', 'Museum of Weaving'],
  science: ['University Evening Lectures', 'Astronomers of Star Hill', 'Marine Institute Public Programme'],
  books: ['Whitfield Bookshop', 'City Libraries', 'Poets at the Quay', 'Port Lorcan Book Week'],
  language: ['Conversation Exchange', 'Cumann na Gaeilge Phort Lorcáin', 'Cultures of the Quay'],
  sport: ['Port Lorcan Rovers', 'Northgate Climbers', 'City Table Tennis League'],
  running: ['Harbour Harriers', 'Sunday Strand Run'],
  community: [
    'Northgate Residents’ Association',
    'Repair Café Port Lorcan',
    'Good Neighbours',
    'Coastal Clean-up Crew',
    'Seniors’ Network',
  ],
  wellbeing: ['Quiet Room Yoga', 'Breathing Space', 'Tern Movement Studio'],
  city: ['City of Port Lorcan', 'Harbour Authority'],
  games: ['The Chess Table', 'Dice & Biscuits'],
}

/** What an organizer says of itself, by its theme. */
export const ABOUT: Readonly<Record<Theme, string>> = {
  classical:
    'Chamber and orchestral music for everyone who likes to listen. We keep a hundred tickets under ten euros at every concert.',
  jazz: 'Live jazz in all its moods, from standards to things that have no name yet.',
  folk: 'We keep the tunes of the south coast going, and welcome whoever wants to learn them.',
  rock: 'Loud, live and local. We book bands we would queue for ourselves.',
  electronic: 'Electronic music for curious ears and tireless feet.',
  choir: 'We sing together once a week and in public as often as we dare. New voices are always welcome.',
  stage: 'Theatre made in Port Lorcan, with people of Port Lorcan.',
  comedy: 'New jokes, old stairs, cheap tickets.',
  dance: 'Dance to watch and dance to join. Beginners are our favourite people.',
  film: 'Films as they were meant to be seen: large, dark and together.',
  art: 'We show art, make art, and talk about it in plain words.',
  craft: 'Hands first. Small classes with teachers who do this for a living.',
  food: 'Good food from near by, and the people who grow, catch and cook it.',
  market: 'Stalls, voices, bargains: the oldest meeting place of the city.',
  family: 'Adventures for children and those who come with them.',
  nature: 'We count birds, plant hedges, and show people where the orchids are.',
  cycling: 'For a city in which an eight-year-old can cycle to school.',
  water: 'In, on and beside the water, in every season.',
  history: 'The past of the city, told where it happened.',
  science: 'What is being found out, explained by those who find it out.',
  books: 'Readings, conversations and the pleasure of a good sentence.',
  language: 'We meet to speak, to listen and to make mistakes in good company.',
  sport: 'Training for all ages, matches for all weathers.',
  running: 'Every pace is a good pace.',
  community: 'Neighbours who do things together.',
  wellbeing: 'Room to breathe, move and be quiet.',
  city: 'The city’s own programme, on its squares and quays.',
  games: 'Boards, dice, cards and kettles.',
}
