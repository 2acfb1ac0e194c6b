import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeRowCutter } from './row-cutter.ts'

const FIELD_BYTES = 8
const ROW_BYTES = { maxRowBytes: 12, minFieldBytes: 2 }

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

function row(...fields: readonly (string | null)[]): Buffer {
  const count = Buffer.alloc(2)
  count.writeUInt16BE(fields.length)
  const parts = fields.map((field) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(field === null ? -1 : field.length)
    return Buffer.concat([length, Buffer.from(field ?? '')])
  })
  return message('D', Buffer.concat([count, ...parts]))
}

/** What comes out, and in how many pieces, when the bytes arrive in pieces of some size. */
function passed(
  bytes: Buffer,
  size: number,
  fieldBytes = FIELD_BYTES,
): { readonly whole: Buffer; readonly pieces: number } {
  const cutter = makeRowCutter({ maxFieldBytes: fieldBytes, ...ROW_BYTES })
  const out: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size)
    cutter.push(bytes.subarray(at, at + size), (part) => out.push(part))
  return { whole: Buffer.concat(out), pieces: out.length }
}

test('rows are shortened alike wherever the pieces of the stream end, and all else passes as it is', () => {
  const name = message('T', Buffer.from('a longer message that is no row'))
  const end = message('C', Buffer.from('SELECT 5'))
  const given = [
    row('1', null),
    name,
    row('0123456789', 'x'),
    row(''),
    row('01234567', '01234567', '01', '012'),
    row('2'),
    end,
  ]
  const wanted = [
    row('1', null),
    name,
    row('01234567', 'x'),
    row(''),
    row('01234567', '0123', '01', '01'),
    row('2'),
    end,
  ]
  const bytes = Buffer.concat(given)
  for (let size = 1; size <= bytes.length; size += 1)
    assert.deepEqual(passed(bytes, size).whole, Buffer.concat(wanted), `pieces of ${size}`)
})

test('short rows leave in one piece for each piece that came, behind one that was split too', () => {
  const bytes = Buffer.concat(Array.from({ length: 1000 }, () => row('1')))
  const { whole, pieces } = passed(bytes, 4000, 100)
  assert.deepEqual(whole, bytes)
  // A row that lies in two pieces leaves by itself.
  assert.ok(pieces <= 2 * Math.ceil(bytes.length / 4000), `${pieces} pieces`)
})
