import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withoutSecrets } from '../../src/lib/secrets.ts'

const SECRET = 'k'.repeat(43)

describe('the log', () => {
  it('has no passwords, tokens or links of invitations in addresses', () => {
    for (const url of [
      `/invite/${SECRET}`,
      `/de/invite/${SECRET}?x=1`,
      `/%69nvite/${SECRET}`,
      `/event/supper/?password=${SECRET}`,
      `/event/supper/?%70assword=${SECRET}`,
      `/?token=${SECRET}`,
      `/invite/${SECRET}?password=${SECRET}`,
    ]) {
      assert.doesNotMatch(withoutSecrets(url), /kkk/, url)
      assert.match(decodeURIComponent(withoutSecrets(url)), /\[hidden\]/, url)
    }
  })

  it('has all other addresses as they were sent', () => {
    for (const url of ['/', `/event/${SECRET}/`, '/events/?search=a+b&page=2', '/invite/short'])
      assert.equal(withoutSecrets(url), url)
  })
})
