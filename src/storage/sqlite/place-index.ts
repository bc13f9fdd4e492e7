import { sql } from 'kysely'
import type { DerivedIndex } from '../derived-index.ts'

/** The R*Tree of venues, with 32-bit numbers that are rounded outwards. See migrations/0002-images-places-tickets.ts. */
export const placeIndex: DerivedIndex = {
  name: 'places',
  async countWrong(tx) {
    const { rows } = await sql<{ wrong: number }>`select
      (select count(*) from venues left join venue_places as place on place.id = venues.id
        where geo_lat is not null and geo_lng is not null and (place.id is null
          or not (geo_lat between south - 1e-4 and north + 1e-4 and geo_lng between west - 1e-4 and east + 1e-4
            and north - south < 1e-3 and east - west < 1e-3)))
      + (select count(*) from venue_places where id not in
        (select id from venues where geo_lat is not null and geo_lng is not null)) as wrong`.execute(tx)
    return Number(rows[0]?.wrong)
  },
  async rebuild(tx) {
    await sql`delete from venue_places`.execute(tx)
    await sql`insert into venue_places select id, geo_lat, geo_lat, geo_lng, geo_lng from venues
      where geo_lat is not null and geo_lng is not null`.execute(tx)
  },
}
