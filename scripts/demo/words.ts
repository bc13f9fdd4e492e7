import type { Words } from './grammar.ts'

const list = (text: string): string[] => text.split(/\s*;\s*/).filter((item) => item !== '')

/** What templates are filled with. Persons, bands, films and books are invented; composers and old plays are not. */
export const WORDS: Words = {
  first: list(
    'Aoife; Niamh; Saoirse; Orla; Ciara; Maeve; Róisín; Gráinne; Eimear; Sinéad; Conor; Cillian; Fionn; Declan; Ruairí; Tadhg; Eoin; Darragh; Amara; Ines; Leila; Mei; Sofia; Zuzanna; Priya; Noor; Hana; Elif; Yara; Ewa; Tomás; Mateo; Kofi; Idris; Anton; Jonas; Emeka; Rafael; Hiro; Luka',
  ),
  last: list(
    'Kinsella; Brosnahan; Devane; Halloran; Tierney; Corrigan; Mulvey; Scanlon; Lacey; Quirke; Dunphy; Foley-Marsh; Okafor; Lindqvist; Moreau; Castellano; Novak; Haddad; Iwasaki; Ferreira; Banerjee; Wójcik; Adeyemi; Petrov; Sørensen; Marchetti; Ibáñez; Aydin; Vogel; Nakagawa; Osei; Delacroix; Rahmani; Kovács; Byström; Amsel',
  ),
  person: ['{first} {last}'],
  bandA: list(
    'Paper; Salt; Copper; Midnight; Velvet; Northern; Hollow; Winter; Second; Golden; Silver; Sleepless; Borrowed; Distant; Electric; Broken; Quiet; Harbour; Lucky; Crooked',
  ),
  bandB: list(
    'Lanterns; Foxes; Postcards; Tides; Radios; Cathedrals; Orchards; Engines; Herons; Ferries; Sundays; Telegrams; Swimmers; Signals; Gardens; Cartographers; Staircases; Umbrellas; Comets; Neighbours',
  ),
  band: ['The {bandA} {bandB}', '{bandA} {bandB}', '{last} & the {bandB}', '{first} {last}', '{first} {last} Band'],
  jazzers: [
    '{person} Trio',
    '{person} Quartet',
    '{last} / {last} Duo',
    '{person} Quintet',
    'Harbour Big Band with {person}',
  ],
  work: list(
    'Schubert’s ‘Trout’ Quintet; Brahms’s Clarinet Quintet; Dvořák’s ‘American’ Quartet; Mendelssohn’s Octet; Bach’s Goldberg Variations; the Bach Cello Suites; Beethoven’s ‘Archduke’ Trio; Debussy’s String Quartet; Ravel’s Piano Trio; Fauré’s Piano Quartet No. 1; Mozart’s ‘Dissonance’ Quartet; Clara Schumann’s Piano Trio; Fanny Hensel’s String Quartet; Borodin’s Second Quartet; Tchaikovsky’s Serenade for Strings; Elgar’s Serenade; Grieg’s Holberg Suite; Vivaldi’s Four Seasons; Handel’s Water Music; Haydn’s ‘Sunrise’ Quartet; Franck’s Violin Sonata; Messiaen’s Quartet for the End of Time; Janáček’s ‘Intimate Letters’; Smetana’s ‘From My Life’',
  ),
  symphony: list(
    'Beethoven’s ‘Pastoral’; Brahms’s Fourth; Sibelius’s Second; Dvořák’s ‘New World’; Mahler’s First; Mozart’s ‘Jupiter’; Schubert’s ‘Unfinished’; Mendelssohn’s ‘Scottish’; Farrenc’s Third Symphony; Rimsky-Korsakov’s Scheherazade; Mussorgsky’s Pictures at an Exhibition; Saint-Saëns’s Organ Symphony',
  ),
  instrument: list(
    'cello; violin; clarinet; harp; piano; flute; guitar; viola; organ; oboe; concertina; uilleann pipes',
  ),
  choral: list(
    'Fauré’s Requiem; Bach’s St John Passion; Rachmaninov’s Vespers; Handel’s Messiah; Duruflé’s Requiem; Monteverdi’s Vespers; Vivaldi’s Gloria; Tallis and Byrd by candlelight; Carols old and new; Songs of the sea; Sacred music of the Baltic; Brahms’s Liebeslieder',
  ),
  play: list(
    'Twelfth Night; A Doll’s House; The Importance of Being Earnest; The Playboy of the Western World; The Seagull; Uncle Vanya; Tartuffe; Antigone; Hedda Gabler; The Rivals; She Stoops to Conquer; Riders to the Sea; A Midsummer Night’s Dream; Much Ado About Nothing; The Tempest; Lysistrata; Ghosts; The Cherry Orchard',
  ),
  newplay: list(
    'The Night Ferry; Eleven Kitchens; What the Tide Left; Small Hours; A Field in Three Languages; The Understudy’s Understudy; Bread; Map of an Argument; The Last Bus to Millbrook; Snow in the Cooperage; Two Chairs; The Translator’s Wife; Low Water; Everything Must Go; The Quiet Carriage; A Room with the Radio On',
  ),
  film: list(
    'The Ferryman’s Daughter; A Winter in Braga; Nine Letters; The Long Platform; Sister of the River; Monday People; The Cartographer; Blue Hour Diner; Salt and Cinnamon; The Beekeeper of Tinos; Paper Moonlight; All the Small Engines; The House with Two Clocks; Tomorrow We Paint; The Violin Maker; Where the Buses Sleep; An Island in Two Acts; The Second Summer; Neon Orchard; A Tailor in Tangier; Slow Train to Ourense; The Swimming Lesson; Harvest of Strangers; Goodnight, Lighthouse; The Apricot Year; Three Sundays; Kite Season; The Understorey; Old Friends, New Maps; The Thursday Choir; A Map of Rain; The Umbrella Menders',
  ),
  silent: list(
    'The General (1926); Sherlock Jr. (1924); Metropolis (1927); Nosferatu (1922); The Cabinet of Dr. Caligari (1920); A Trip to the Moon (1902); Safety Last! (1923); The Kid (1921); Faust (1926); The Adventures of Prince Achmed (1926); Sunrise (1927); The Gold Rush (1925); Häxan (1922); The Phantom Carriage (1921)',
  ),
  country: list(
    'Portugal; Iran; Iceland; Senegal; Argentina; Poland; South Korea; Georgia; Lebanon; Chile; Finland; Vietnam; Morocco; Mexico; Italy; Estonia',
  ),
  show: list(
    'Weather Permitting; Slow Light; The Colour of Tin; Ordinary Rooms; Between Tides; A Hundred Small Houses; Threads; The Night Garden; Salt Maps; Borrowed Landscapes; After the Furnace; What the River Kept; Held Breath; Paper Architecture; Standing Water; Hands at Work; Faces of the Quay; The Blue Notebook; Field Notes; Second Nature; Ink and Iron; Unfinished Portraits; Shorelines; Quiet Machines',
  ),
  medium: list(
    'paintings; photographs; drawings; woodcuts; sculpture in glass; textiles; ceramics; watercolours; prints; films and objects; collages; works on paper',
  ),
  craft: list(
    'bookbinding; linocut; wheel-throwing; basket weaving; natural dyeing; stained glass; calligraphy; spoon carving; felting; screen printing; letterpress; darning and visible mending; paper marbling; enamel jewellery; bicycle maintenance; stone carving; loom weaving; candle making; cyanotype; kintsugi; upholstery; silver clay; leather work; origami; embroidery; lampshade making; mosaic; rope work and knots',
  ),
  object: list(
    'your own notebook; three cards to send; a bowl that holds soup; a basket for bread; a silk scarf; a small window; a spoon; a pair of slippers; two tote bags; a poster; a lamp; a leather purse; a linen towel',
  ),
  cuisine: list(
    'Sicilian; Lebanese; Kerala; Oaxacan; Basque; Georgian; Korean; Ethiopian; Vietnamese; Polish; Moroccan; Japanese; Greek; Peruvian; Turkish; Alsatian',
  ),
  dish: list(
    'sourdough; fresh pasta; dumplings; fermented vegetables; fish from head to tail; seaweed; pastry; soups for cold days; tamales; pierogi; sushi at home; preserves and chutney; croissants; paella; curries from scratch; cheese; vegetarian feasts; cakes without sugar; flatbreads; game and mushrooms',
  ),
  drink: list(
    'natural wines of the Loire; island whiskeys; dry ciders; coffee from three continents; sherry; Alpine whites; stouts and porters; oolong teas; mezcal; English sparkling wine; small-batch gin; Jura wines; perry and apple brandy; alcohol-free aperitifs',
  ),
  bird: list(
    'waders; swifts; owls; brent geese; kingfishers; terns; goldfinches; peregrines; sand martins; winter thrushes',
  ),
  walk: list(
    'The cliff path to Lighthouse Point; Orchids and butterflies of the dunes; The river from weir to sea; Hidden gardens of Castle Park; Mushrooms of Millbrook Wood; Rock pools at low tide; Flowers of the meadows; Trees of the city; Geology of the strand; Seals and sea caves; Life in the millrace; Edible hedgerows; Lichens and old walls; The seven wells; Old field walls; Bumblebees for beginners',
  ),
  tour: list(
    'Port Lorcan in ten doors; Smugglers and customs men; The rope makers’ quarter; Ghosts of Chapel Hill; Victorian iron; Women who built the city; From glass to glass; The lost canal; Weavers, dyers and fullers; The great storm of 1839; Sailors’ tattoos and taverns; Medieval walls; Street names and what they hide; Art nouveau on Cross Street; The harbour at war; Bread, beer and butter: the old market; Signs and ghost letters; The architects of the promenade',
  ),
  lecture: list(
    'Why the sky is dark at night; What octopuses know; A short history of the pencil; How languages die, and how they come back; The mathematics of knots; Bread and revolution; Can a city be silent?; The secret life of lichen; Deep time for beginners; How bridges fail; The economics of kindness; Reading the ice; What is a fair algorithm?; Sleep and why we need it; The Silk Road by sea; The chemistry of colour; How vaccines learned to travel; Maps that lied; The physics of the violin; A history of rain; Loneliness and the modern city; Eels: a mystery; The women of the observatory; Why we yawn; Plastic in the sea: what helps; What fossils dream of; The philosophy of walking; How to read a coastline; Who owns the Moon?; Fungi that hold forests together; The invention of childhood; Batteries, salt and the next grid; Letters from a shipwreck; The brain on music; The Irish elm and its return; Counting whales by ear',
  ),
  book: list(
    'The Salt Calendar; Minor Weather; A House of Many Keys; The Ferry Years; Notes for a Garden; All Our Former Streets; The Bell Founder; A Grammar of Birds; Night Shift at the Lighthouse; Orchard, Burning; The Unposted Letters; Twelve Ways Home; The Ice Merchant; A Small History of Silence; Lamplight; The Daughters of the Weir; Inland; The Cloud Atlas of Small Towns; Ash Wednesday, Rain; Half a Map',
  ),
  genre: list(
    'novel; collection of stories; memoir; book of poems; thriller; history of the coast; essay; debut novel',
  ),
  tale: list(
    'The Bear Who Could Not Whistle; Captain Mouse and the Tin Sea; The Moon’s Umbrella; A Hat for the Giant; The Snail Post; Little Red Tractor at Night; The Dragon of Chapel Hill; Seven Sleepy Seals; The Cloud That Got Lost; Grandmother’s Submarine; The Fox and the Bell; A Pocket Full of Wind; The Littlest Lighthouse; Pirates Don’t Do Homework; The Queen of the Puddles; Owl’s First Day',
  ),
  kidcraft: list(
    'kites; paper lanterns; rockets; stop-motion films; bird boxes; masks; marble runs; robots from scrap; puppets; slime and science; shadow theatre; boats that float; giant bubbles; cardboard castles; dinosaur casts; musical instruments',
  ),
  rival: list(
    'Dunmoyle United; Carrig Athletic; Ballyfane Town; Kilcorran; Glenstrand; Ardbrack City; Inverlough; Rathmarrow; Templecross; St Fiacre’s; Monavalley; Seafield Celtic',
  ),
  topic: list(
    'the new cycle lane on Bridge Street; trees for Gate Street; traffic around the schools; the future of the old station; opening hours of the library; a playground for Weavers’ Mile; street lights and dark skies; rents and empty houses; the harbour basin; noise at night',
  ),
  help: list(
    'Beach clean at Strandside; Hedge planting at Millbrook; Repair café; Clothes swap; Blood donation; Seed exchange; Toy library open day; Neighbours’ long table; Apple pressing day; Bicycle marking with the police; First-aid taster; Tool library open day; Litter pick along the river; Community meal; Digital help desk; Tree wardens’ training; Food bank sorting; Plant sale',
  ),
  mind: list(
    'Yin yoga; Breath and voice; Sound bath; Qigong; Restorative yoga; Meditation for restless people; Forest bathing; Feldenkrais for the back; Mindful drawing; Tai chi for beginners; Sleep better: a short course; Yoga for runners; Cold water and warm tea; Slow yoga and brunch; Alexander technique; Singing for lung health',
  ),
  club: list(
    'Deep Water; Low Light; Slow Circuit; Ferrous; Night Bus; Subsoil; Warm Concrete; Sine of the Times; Tidal; Parallel Lines; Kiln; Furnace Room',
  ),
  sound: list(
    'house and its cousins; dub techno; ambient and modular; Afro-Latin grooves; disco on vinyl; drum & bass; broken beat; minimal; Balkan brass and bass; italo; garage; live electronics',
  ),
  danceform: list(
    'tango; swing; salsa; contact improvisation; contemporary dance; ballet for adults; set dancing; forró; flamenco; lindy hop; folk dances of the Balkans; bachata',
  ),
  fleas: list(
    'Vintage and vinyl; Flea market; Ceramics market; Book market; Plant and seed market; Design market; Antiques fair; Records fair; Farmers’ and makers’ market; Zine fair; Fabric and yarn market; Bicycle jumble',
  ),
  game: list(
    'board games; chess for all; role-playing; bridge for beginners; Go; backgammon; retro video games; card games of the world; jigsaw puzzles; mahjong',
  ),
}
