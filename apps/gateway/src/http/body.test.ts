import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { LIMITS, systemClock } from '@fleet/kernel'
import { FakeClock } from '@fleet/testing'
import fc from 'fast-check'
import { parseBody, readBody, readJson } from './body.ts'

const FORM = 'application/x-www-form-urlencoded; charset=UTF-8'
const errorsOf = (text: string | Buffer): unknown => parseBody(Buffer.from(text)).error?.details?.['errors']
const reading = (text: string, type: string | undefined = 'application/json') =>
  readBody(Readable.from([Buffer.from(text)]), { 'content-type': type }, systemClock)

test('a duplicate member is refused by its path, at every depth [GW-013, ENV-012]', () => {
  assert.deepEqual(errorsOf('{"value":"a","value":"b"}'), { value: ['is given more than once'] })
  assert.deepEqual(errorsOf('{"settings":{"apps":1,"apps":2}}'), {
    'settings.apps': ['is given more than once'],
  })
  assert.deepEqual(errorsOf('{"a":[{"b":1},{"b":2}]}'), undefined)
  assert.deepEqual(errorsOf('{"a":1,"\\u0061":2}'), { a: ['is given more than once'] })
})

test('a duplicate is found behind arrays, empty names and escapes, and equal values are none', () => {
  assert.deepEqual(errorsOf('{"a":[{},{"b":1,"b":2}]}'), { 'a.1.b': ['is given more than once'] })
  assert.deepEqual(errorsOf('{"":1,"":2}'), { '': ['is given more than once'] })
  assert.deepEqual(errorsOf('{"__proto__":1,"__proto__":2}'), {
    ['__proto__']: ['is given more than once'],
  })
  assert.equal(errorsOf('{"a":"b","b":"a","c":["a","a"],"d":{"a":{}},"e":" , \\" : {"}'), undefined)
})

test('nesting that would exhaust a stack is refused, not failed on [GW-013]', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const nested = (levels: number): string => `{"a":${open.repeat(levels)}1${close.repeat(levels)}}`
    assert.equal(errorsOf(nested(63)), undefined)
    assert.deepEqual(errorsOf(nested(64)), { body: ['is nested too deeply'] })
    assert.deepEqual(errorsOf(nested(150_000)), { body: ['is nested too deeply'] })
  }
})

test('only one JSON object is a body [GW-013]', () => {
  for (const text of ['[]', '"x"', 'null', '1', 'true'])
    assert.deepEqual(errorsOf(text), { body: ['must be one JSON object'] })
  for (const text of ['{', '{a:1}', "{'a':1}", '{"a":1,}', '{"a":1}{}', '// c\n{}', '{"a":NaN}'])
    assert.deepEqual(errorsOf(text), { body: ['must be valid JSON'] })
  assert.deepEqual(errorsOf(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), {
    body: ['must be UTF-8'],
  })
})

test('an empty body and an empty object mean the same [GW-018]', async () => {
  assert.deepEqual((await reading('')).members, {})
  assert.deepEqual((await reading('{}')).members, {})
})

test('an operation that takes a form gets its members as text, each given once', async () => {
  const form = (text: string) =>
    readBody(Readable.from([Buffer.from(text, 'latin1')]), { 'content-type': FORM }, systemClock, {
      takesForm: true,
    })
  assert.deepEqual(await form('socket_id=1.2&channel_name=private-fleet&a+b=%C3%A9%3D&empty'), {
    members: { socket_id: '1.2', channel_name: 'private-fleet', 'a b': 'é=', empty: '' },
    isForm: true,
  })
  const errorsOfForm = async (text: string) => (await form(text)).error?.details?.['errors']
  assert.deepEqual(await errorsOfForm('a=1&a=2'), { a: ['is given more than once'] })
  for (const text of ['a=%ff', 'a=%', '%ff=1', 'a=\xe9'])
    assert.deepEqual(await errorsOfForm(text), { body: ['must be form-encoded UTF-8'] })
  assert.deepEqual(await errorsOfForm('__proto__=1'), { body: ['must not contain a member __proto__'] })
})

test('a body of another media type is refused, since a foreign page can send one unasked', async () => {
  assert.equal((await reading('{}', 'text/plain')).error?.code, 'http.415')
  assert.equal((await reading('{}', 'application/x-www-form-urlencoded')).error?.code, 'http.415')
  assert.equal((await readBody(Readable.from([Buffer.from('{}')]), {}, systemClock)).error?.code, 'http.415')
  assert.equal((await reading('{}', 'application/json; charset=utf-8')).error, undefined)
  for (const [type, code] of [
    ['text/plain', 'http.415'],
    ['application/json', undefined],
  ] as const)
    assert.equal(
      (await readJson(Readable.from([Buffer.from('{}')]), { 'content-type': type }, systemClock)).error?.code,
      code,
    )
})

test('a body that is encoded is refused as such, whatever it holds', async () => {
  for (const read of [readBody, readJson]) {
    const codeOf = async (encoding: string | undefined) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
      return (await read(Readable.from([Buffer.from('{}')]), headers, systemClock)).error
    }
    for (const plain of [undefined, '', 'identity', ' Identity '])
      assert.equal(await codeOf(plain), undefined)
    for (const encoding of ['gzip', 'br, identity', 'identity, gzip']) {
      const error = await codeOf(encoding)
      assert.deepEqual([error?.code, error?.details], ['http.415', { content_encoding: encoding }])
    }
  }
})

test('a body over the bound is refused and not kept', async () => {
  const exact = JSON.stringify({ v: 'x'.repeat(LIMITS.bodyMaxBytes - 8) })
  assert.equal(Buffer.byteLength(exact), LIMITS.bodyMaxBytes)
  assert.equal((await reading(exact)).error, undefined)
  assert.equal((await reading(`${exact} `)).error?.code, 'http.413')
})

test('a connection that ends in the middle of a body is refused', async () => {
  const stream = new Readable({ read() {} })
  const body = readBody(stream, { 'content-type': 'application/json' }, systemClock)
  stream.push('{"a":')
  stream.destroy()
  assert.equal((await body).error?.code, 'http.400')
})

test('a body that does not arrive in time is refused', async () => {
  const clock = new FakeClock()
  const body = readBody(new Readable({ read() {} }), { 'content-type': 'application/json' }, clock)
  clock.advance(30_000)
  assert.equal((await body).error?.code, 'http.408')
})

test('every object that JSON can write is read back the same', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const text = JSON.stringify(value)
      assert.deepEqual(parseBody(Buffer.from(text)).members, JSON.parse(text))
    }),
  )
})

test('no input ends the parser with anything but a refusal', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const { error } = parseBody(Buffer.from(bytes))
      assert.ok(error === undefined || error.code === 'validation.failed')
    }),
  )
})
