import type { District, Place, PlaceKind } from './city.ts'

/** One line each: name | kind | district | street | what it is. */
const TABLE = `
Halyard Hall | concert | Old Harbour | 4 Quay Street | The city’s concert hall, built in 1908 as a rope works. Eight hundred seats, and an acoustic that visiting orchestras write home about.
The Cooperage | concert | Glassworks | 17 Furnace Lane | A brick hall in which barrels were made until 1974. Standing room for six hundred, a bar along the whole wall.
St Brendan’s Church | church | Old Harbour | 1 Chapel Hill | A seafarers’ church with a hanging ship in the nave and an organ of 1891. Heated pews since last winter.
St Ita’s Chapel | church | University Hill | 9 Cloister Walk | The small university chapel. A hundred and twenty seats, candles, and a ceiling that sings along.
The Blue Anchor | pub | Old Harbour | 22 Quay Street | A pub with a back room for music, a fire from October to April, and no television.
Ryan & Daughter | pub | Market Quarter | 6 Cross Street | Three generations behind one bar. Sessions upstairs, soup downstairs.
The Weaver’s Arms | pub | Weavers’ Mile | 41 Shuttle Row | The local of Weavers’ Mile: quizzes, chess, a garden with pear trees.
The Tin Whistle | pub | Northgate | 3 Gate Street | Small stage, large welcome. Traditional music most nights.
Undertow | club | Glassworks | 2 Kiln Yard | A club in a former glass furnace: concrete, good loudspeakers, water for free.
Cellar 19 | club | Market Quarter | 19 Butter Lane | Jazz cellar with forty chairs and one very good piano.
The Signal Box | club | Northgate | 8 Station Road | Live music beside the railway. The last train is announced from the stage.
Theatre Royal | theatre | Market Quarter | 1 Theatre Place | Red plush, gilded plaster, and the best sight lines on the south coast.
The Glasshouse Theatre | theatre | Glassworks | 11 Furnace Lane | A studio theatre for new writing. Ninety seats that can be moved anywhere.
Small World Puppet Theatre | theatre | Castle Park | 5 Orangery Path | Puppets for small and grown people in the old orangery.
The Loft | theatre | Old Harbour | 30 Sailmakers’ Lane | Comedy and spoken word under the roof of a sail loft.
The Lantern Cinema | cinema | Market Quarter | 14 Cross Street | Two screens, an organist on Sundays, and popcorn that is made while you wait.
Electric Palace | cinema | Strandside | 60 Strand Road | A seaside picture house of 1931, saved by its neighbours and run by them since.
Film Room | cinema | University Hill | 3 College Green | The film society’s own room. Sixty seats, 35 mm and digital.
Municipal Gallery | gallery | Market Quarter | 2 Assembly Square | Painting and sculpture from 1750 to now. Entrance to the collection is free.
Kiln Gallery | gallery | Glassworks | 5 Kiln Yard | Contemporary work in glass, ceramics and light.
The Dye House | gallery | Weavers’ Mile | 12 Madder Street | Artists’ studios and a project room in a former dye works.
Gallery on the Stairs | gallery | Old Harbour | 18 Chapel Hill | Seventy-one steps and eleven landings, each with a wall.
Maritime Museum | museum | Old Harbour | 1 Customs Quay | The harbour’s own memory: pilot boats, charts, and a working fog horn at noon.
Museum of Weaving | museum | Weavers’ Mile | 2 Shuttle Row | Looms that still run, and people who still know how.
Lorcan House | museum | Castle Park | 1 Castle Avenue | A town house of 1786 with its kitchen, its library and its ghosts.
Natural History Rooms | museum | University Hill | 6 College Green | A whale, eleven thousand beetles, and a children’s table where everything may be touched.
Central Library | library | Market Quarter | 5 Assembly Square | Four floors of books, a quiet roof garden, and rooms for anyone who wants to meet.
Northgate Library | library | Northgate | 28 Gate Street | A neighbourhood library with a story corner and a seed exchange.
Strandside Library | library | Strandside | 12 Tern Road | Books with a view of the sea. The reading room is open until nine.
Whitfield Bookshop | library | University Hill | 21 Cloister Walk | An independent bookshop with a back room for readings.
Assembly Rooms | hall | Market Quarter | 8 Assembly Square | The ballroom of the city, with a sprung floor and eleven chandeliers.
Northgate Community Hall | hall | Northgate | 33 Gate Street | Run by the neighbourhood, for the neighbourhood.
Weavers’ Hall | hall | Weavers’ Mile | 7 Madder Street | A guild hall of timber and stone; its kitchen feeds two hundred.
Millbrook Parish Hall | hall | Millbrook | 2 Mill Lane | Dances, fairs, meetings, tea.
Strandside Pavilion | hall | Strandside | 1 Promenade | White iron and glass on the promenade, with a terrace over the sand.
Aula Maxima | campus | University Hill | 1 College Green | The great hall of the university, open to the city for its evening lectures.
Boole Lecture Theatre | campus | University Hill | 14 College Green | Three hundred seats around one very long blackboard.
The Observatory | campus | University Hill | 2 Star Hill | A dome of 1880 with a telescope that visitors may look through.
Marine Institute | campus | Lighthouse Point | 3 Point Road | Laboratories, a sea-water aquarium, and a lecture room over the rocks.
Makers’ Yard | workshop | Glassworks | 9 Kiln Yard | Benches, kilns, lathes and patient teachers.
The Print Room | workshop | Weavers’ Mile | 26 Shuttle Row | Presses from 1860 on, all of them in use.
Bridge Street Repair Shop | workshop | Market Quarter | 11 Bridge Street | Where things are mended, and people learn to mend them.
Pottery on the Hill | workshop | University Hill | 40 Star Hill | Six wheels, two kilns, one cat.
Harbour Kitchen | kitchen | Old Harbour | 10 Customs Quay | A cookery school in the old fish auction, with a long table at the end of every class.
Market Hall | kitchen | Market Quarter | 1 Butter Lane | Forty stalls under an iron roof of 1867. Breakfast from six.
Vine & Vessel | kitchen | Weavers’ Mile | 15 Madder Street | Wine bar and tasting room; the cellar goes under the street.
Assembly Square | square | Market Quarter | Assembly Square | The wide square between library and gallery: markets, concerts, the big tree in December.
Customs Quay | square | Old Harbour | Customs Quay | Cobbles, bollards, and the evening sun until the last minute.
Kiln Yard | square | Glassworks | Kiln Yard | The courtyard between the old furnaces, with strings of lamps.
Castle Park Bandstand | park | Castle Park | Castle Avenue | A Victorian bandstand among lime trees. Bring a blanket.
Botanic Garden | park | Castle Park | 30 Castle Avenue | Nine hectares, three glasshouses, and a collection of ferns.
Millbrook Meadows | park | Millbrook | Weir Path | Water meadows on the river, with kingfishers for those who wait.
Millbrook Community Garden | park | Millbrook | 19 Mill Lane | Sixty plots, a shared orchard, bees.
Rowing Club Boathouse | water | Old Harbour | 2 Slipway | Where the long boats live. Changing rooms and hot tea.
Strandside Slipway | water | Strandside | Promenade | The start of everything that floats.
Lighthouse Point Pier | water | Lighthouse Point | Point Road | A stone pier with steps to the water at every tide.
Riverside Stadium | sport | Millbrook | 1 Weir Path | Home of Port Lorcan Rovers: six thousand seats, one very loud stand.
Northgate Sports Hall | sport | Northgate | 50 Station Road | Three courts, a climbing wall, spectators’ benches.
Quiet Room Yoga | studio | Weavers’ Mile | 33 Shuttle Row | Wooden floor, north light, mats and blankets for everyone.
Tern Studio | studio | Strandside | 8 Tern Road | Dance and movement with a view of the bay.
Lighthouse Car Park | start | Lighthouse Point | Point Road | The meeting point for walks along the cliffs.
Castle Park Gate | start | Castle Park | Castle Avenue | The iron gate beside the bicycle stands: the meeting point of many walks.
Market Cross | start | Market Quarter | Cross Street | Where the four old streets meet. Guides carry a yellow umbrella.
`

/** Where things happen. */
export const PLACES: readonly Place[] = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [name = '', kind, district, street = '', about = ''] = line.split(' | ')
    return { name, kind: kind as PlaceKind, district: district as District, street, about }
  })
