import { times } from '../support/campaign.ts'
import { testRestarts } from '../support/restarts.ts'

testRestarts(times(50, 3), 2_400_000)
