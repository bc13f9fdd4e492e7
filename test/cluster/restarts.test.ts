import { testRestarts } from '../support/restarts.ts'

testRestarts(3, 170_000)
