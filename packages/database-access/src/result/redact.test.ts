import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { makeRedact } from './redact.ts'

const PASSWORD = 'horse/Battery+Staple 7~'
const redact = makeRedact(PASSWORD, 'reader')
const digest = (name: string, text: string | Buffer): Buffer => createHash(name).update(text).digest()

test('base64 of a password at any place in a text leaves nothing of it, with line breaks and in both alphabets [DB-057]', () => {
  for (const password of [PASSWORD, 'correct horse', 'correct-horse1', 'correct horse 22'])
    for (const before of ['', 'a', 'ab', 'abc', 'x'.repeat(47)])
      for (const after of ['', '!', '!!', '!!!'])
        for (const encoding of ['base64', 'base64url'] as const) {
          const text = Buffer.from(`${before}${password}${after}`).toString(encoding)
          const broken = text.replaceAll(/.{76}/g, '$&\n')
          for (const given of [text, broken]) {
            const left = makeRedact(password).text(given).split('[REDACTED]')
            assert.equal(left.length, 2, given)
            // A sign has six bits, and none of those that are left may be one of the password's.
            const [head = 0, tail = 0] = left.map((part) => part.replaceAll(/[\n=]/g, '').length * 6)
            const total = text.replaceAll('=', '').length * 6
            assert.ok(head <= before.length * 8, given)
            assert.ok(total - tail >= Buffer.byteLength(before + password) * 8, given)
          }
        }
})

test('hexadecimal, percent and escaped forms leave nothing of a password [DB-057]', () => {
  const bytes = Buffer.from(PASSWORD)
  for (const form of [
    bytes.toString('hex').toUpperCase(),
    encodeURIComponent(PASSWORD),
    [...bytes].map((byte) => `%${byte.toString(16)}`).join(''),
    Array.from(PASSWORD).toReversed().join(''),
    JSON.stringify(PASSWORD).slice(1, -1),
  ])
    assert.equal(redact.text(`a ${form} b`), 'a [REDACTED] b', form)
})

test('what a server stores for a password, and digests of it, are replaced [DB-057]', () => {
  const stored = digest('sha1', digest('sha1', PASSWORD)).toString('hex').toUpperCase()
  const texts = [
    [`md5${digest('md5', `${PASSWORD}reader`).toString('hex')}`, 'md5[REDACTED]'],
    [`*${stored}`, '*[REDACTED]'],
    ...['md5', 'sha1', 'sha256', 'sha512'].map((name) => [
      digest(name, PASSWORD).toString('hex'),
      '[REDACTED]',
    ]),
  ]
  for (const [text = '', expected] of texts) assert.equal(redact.text(text), expected)
})

test('what a server stores is replaced in other forms too, and a verifier with a salt in any case [DB-057]', () => {
  const native = `*${digest('sha1', digest('sha1', PASSWORD)).toString('hex').toUpperCase()}`
  const md5 = `md5${digest('md5', `${PASSWORD}reader`).toString('hex')}`
  for (const stored of [native, md5]) {
    const part = stored.replace(/^(\*|md5)/, '')
    for (const form of [
      Array.from(part).toReversed().join(''),
      Buffer.from(part).toString('hex'),
      Buffer.from(part).toString('base64'),
      Buffer.from(stored).toString('base64'),
      Buffer.from(part, 'hex').toString('base64'),
      Buffer.from(part, 'hex').toString('latin1'),
    ])
      assert.equal(redact.text(`<${form}>`), '<[REDACTED]>', form)
  }
  const scram = 'SCRAM-SHA-256$4096:c2FsdHNhbHQ=$c3RvcmVkLWtleS1zdG9yZWQta2V5:c2VydmVyLWtleQ=='
  const salted = `$A$005$\u0001aB?defghijklmnopqrs${'x'.repeat(43)}`
  for (const text of [scram, salted]) assert.equal(redact.text(`a ${text} b`), 'a [REDACTED] b')
})

test('a verifier whose salt has signs that a server escapes is replaced as it is, escaped, in hexadecimal and in base64 [DB-057]', () => {
  const salts = [
    '\\a\'b"c\n\r\t\u0001\u001a$d%efghij',
    '\\'.repeat(20),
    "'".repeat(20),
    'abcdefghijklmnopqrst',
  ]
  for (const salt of salts) {
    assert.equal(salt.length, 20)
    const stored = `$A$00A$${salt}${'./aZ9'.repeat(8)}xyz`
    for (const form of [
      stored,
      stored
        .replaceAll('\\', '\\\\')
        .replaceAll("'", String.raw`\'`)
        .replaceAll('\n', String.raw`\n`),
      JSON.stringify(stored).slice(1, -1),
      Buffer.from(stored).toString('hex'),
      Buffer.from(stored).toString('hex').toUpperCase(),
      Buffer.from(stored).toString('base64').replace(/=+$/, ''),
      Buffer.from(stored).toString('base64').replace(/=+$/, '').replace(/.{76}/, '$&\n'),
    ])
      assert.equal(redact.text(`a ${form} b`), 'a [REDACTED] b', form)
  }
})

test('a text without the password stays as it is', () => {
  for (const text of ['horse', 'Staple 7', 'aG9yc2U=', '', 'md5', 'f'.repeat(64)])
    assert.equal(redact.text(text), text)
})

test('a number that has the password, or its bytes in hexadecimal, is replaced, and others stay numbers [DB-057]', () => {
  assert.equal(makeRedact('90210').number(1_902_100), '1[REDACTED]0')
  assert.equal(makeRedact('pass').number(70_617_373), '[REDACTED]')
  assert.equal(makeRedact('-12').number(-12), '[REDACTED]')
  assert.equal(makeRedact('90210').number(90_211), 90_211)
  assert.equal(redact.number(1234), 1234)
  // As long as a number is printed at most.
  assert.equal(makeRedact('-1.2345678901234567e-100').number(-1.2345678901234567e-100), '[REDACTED]')
})
