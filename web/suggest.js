// The form works without this, more slowly: here a proof of work replaces most of the waiting, and sending waits for it.

/** Constants of SHA-256: fractional parts of the square and cube roots of the first primes. */
const primes = []
for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n)
const START = Int32Array.from(primes.slice(0, 8), (prime) => fraction(prime ** (1 / 2)))
const ROUND = Int32Array.from(primes, (prime) => fraction(prime ** (1 / 3)))
const words = new Int32Array(64)

function fraction(number) {
  return ((number % 1) * 2 ** 32) | 0
}

const form = document.querySelector('form[data-proof]')

if (form) {
  const [nonce, parts, bits] = form.dataset.proof.split(' ')
  // By the clock of this page, from when it was made: a little longer than the service asks for.
  const ready = new Promise((done) => setTimeout(done, 3500))
  const proof = prove(nonce, Number(parts), Number(bits))
  let isReady = false
  form.addEventListener('submit', async (event) => {
    if (isReady) return
    event.preventDefault()
    const button = form.querySelector('button[type=submit]')
    if (button.disabled) return
    const words = button.textContent
    button.disabled = true
    button.textContent = form.dataset.sending
    const [found] = await Promise.all([proof, ready])
    form.elements.proof.value = found
    isReady = true
    button.disabled = false
    form.requestSubmit(button)
    button.textContent = words
  })
  // Back from the answer: what was typed is there again, and the form may be sent anew.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) isReady = form.elements.proof.value !== ''
  })
}

/** Lets the browser do other work. Timers would be slow in a window that is behind others. */
function turn() {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      done()
    }
    port2.postMessage(null)
  })
}

/** Numbers whose hashes with the nonce begin with so many zero bits, in short slices of time. */
async function prove(nonce, parts, bits) {
  const found = []
  let until = performance.now() + 12
  for (let part = 0; part < parts; part++) {
    for (let number = 0; ; number++) {
      if (firstWord(`${nonce} ${part} ${number}`) >>> (32 - bits) === 0) {
        found.push(number)
        break
      }
      if (number % 64 === 0 && performance.now() > until) {
        await turn()
        until = performance.now() + 12
      }
    }
  }
  return found.join(',')
}

/** The first 32 bits of SHA-256 (FIPS 180-4) of a text of at most 55 letters. Browsers offer their own on https alone. */
function firstWord(text) {
  const length = text.length
  words.fill(0, 0, 16)
  for (let at = 0; at < length; at++) words[at >> 2] |= text.charCodeAt(at) << (24 - 8 * (at & 3))
  words[length >> 2] |= 128 << (24 - 8 * (length & 3))
  words[15] = length * 8
  for (let t = 16; t < 64; t++) {
    const w15 = words[t - 15]
    const w2 = words[t - 2]
    const s0 = ((w15 >>> 7) | (w15 << 25)) ^ ((w15 >>> 18) | (w15 << 14)) ^ (w15 >>> 3)
    const s1 = ((w2 >>> 17) | (w2 << 15)) ^ ((w2 >>> 19) | (w2 << 13)) ^ (w2 >>> 10)
    words[t] = words[t - 16] + s0 + words[t - 7] + s1
  }
  let a = START[0]
  let b = START[1]
  let c = START[2]
  let d = START[3]
  let e = START[4]
  let f = START[5]
  let g = START[6]
  let h = START[7]
  for (let t = 0; t < 64; t++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[t] + words[t]) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  return (START[0] + a) >>> 0
}
