import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskOfOutput } from '#/deployments/run/output-mask.ts'

const masked = (bytes: Buffer, values: Readonly<Record<string, string>> = {}): Buffer =>
  Buffer.from(
    maskOfOutput(new Map(Object.entries(values)))(bytes.toString('latin1').split('\n')).join('\n'),
    'latin1',
  )

test('what has the shape of a credential is masked, also with letters of several bytes [GW-025]', () => {
  const output = 'Söhne https://u:p4ss-à-wörd@host/x\nAuthorization: Bearer abcdef123456\npassword=à à\n'
  assert.equal(
    masked(Buffer.from(output)).toString(),
    'Söhne https://u:[REDACTED]@host/x\nAuthorization: Bearer [REDACTED]\npassword=[REDACTED] à\n',
  )
})

test('output that is no text keeps every byte but those of a credential or a stored value [GW-025]', () => {
  const [before, after] = [Buffer.from([0, 255, 10, 128]), Buffer.from([10, 13, 200])]
  const output = (text: string) => Buffer.concat([before, Buffer.from(text), after])
  assert.deepEqual(
    masked(output('token=abc123 schlüssel-x'), { KEY: 'schlüssel-x' }),
    output('token=[REDACTED] [REDACTED]'),
  )
})
