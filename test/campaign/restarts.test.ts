import { testRestarts } from '../support/restarts.ts'

testRestarts(50, 2_400_000)
