import type { Chance } from './chance.ts'

const MESSAGES = [
  '{"event":"pusher:ping","data":{}}',
  '{"event":"pusher:subscribe","data":{"channel":"private-fleet","auth":"app-key:x"}}',
  '{"event":"pusher:subscribe","data":{"channel":"presence-node.1","channel_data":"{"}}',
  '{"event":"pusher:subscribe","data":"{\\"channel\\":\\"news\\"}"}',
  '{"event":"pusher:subscribe","data":{"channel":["news"]}}',
  '{"event":"pusher:subscribe","data":{"channel":"__proto__"}}',
  '{"event":"pusher:unsubscribe","data":{"channel":"news"}}',
  '{"event":"pusher:signin","data":{"user_data":"{}","auth":":"}}',
  '{"event":"client-a","channel":"private-fleet","data":null}',
  '{"event":"client-","channel":"","data":{"__proto__":1}}',
  '{"event":"pusher_internal:member_added","channel":"presence-node.1","data":{}}',
  '{"event":1}',
  '[]',
  'null',
  '',
  '{"event":',
  '\xff\xfe',
] as const

const CODES = [0, 1, 2, 8, 9, 10, 3, 15] as const

const request = (chance: Chance): Buffer => {
  const extension = chance.isOneIn(3) ? 'sec-websocket-extensions: permessage-deflate\r\n' : ''
  return Buffer.from(
    'GET /app/app-key?protocol=7 HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n' +
      `sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n${extension}\r\n`,
  )
}

/** An upgrade and, without waiting for its answer, frames that are right, nearly right or nonsense. */
export function webSocketBytes(chance: Chance): Buffer {
  const frames = Array.from({ length: 1 + chance.below(8) }, () => anyFrame(chance))
  return Buffer.concat([request(chance), ...frames])
}

function anyFrame(chance: Chance): Buffer {
  if (chance.isOneIn(12)) return chance.bytes(40)
  const payload = chance.isOneIn(5)
    ? chance.bytes(300)
    : Buffer.from(chance.isOneIn(30) ? `{"a":${'['.repeat(20_000)}` : chance.pick(MESSAGES), 'latin1')
  const code = chance.isOneIn(3) ? chance.pick(CODES) : 1
  const flags = chance.isOneIn(5) ? chance.below(8) << 4 : 0x80
  const isMasked = !chance.isOneIn(15)
  const reported = chance.isOneIn(25) ? chance.below(100_000) : payload.length
  const length =
    reported < 126
      ? Buffer.of(reported)
      : reported < 65_536
        ? Buffer.of(126, reported >> 8, reported & 255)
        : Buffer.concat([
            Buffer.of(127),
            chance.isOneIn(2) ? Buffer.alloc(8, 255) : Buffer.of(0, 0, 0, 0, 0, 1, 0, 0),
          ])
  length[0] = (length[0] ?? 0) | (isMasked ? 0x80 : 0)
  const mask = isMasked ? Buffer.from([1, 2, 3, 4]) : Buffer.alloc(0)
  const body = isMasked ? payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)) : payload
  return Buffer.concat([Buffer.of(flags | code), length, mask, body])
}
