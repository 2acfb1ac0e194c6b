// A gateway in a process of its own, which a test kills: its work writes facts and takes some time.
import { startGateway } from '@fleet/gateway'
import { workKind } from '@fleet/fleet'
import * as z from 'zod'

interface Given {
  readonly home: string
  readonly databaseUrl: string
  readonly appKey: string
  readonly milliseconds: number
}

const { home, databaseUrl, appKey, milliseconds } = JSON.parse(process.argv[2] ?? '') as Given // The test writes it.
const listen = [{ address: '127.0.0.1', port: 0 }]

await startGateway(
  { home, listen, databaseUrl, appKey, names: [], name: 'gateway', version: 'test', log: 'silent' },
  {
    strictLocks: true,
    work: {
      leaseSeconds: 2,
      slots: 4,
      kinds: ({ clock }) => [
        workKind({
          name: 'test:piece',
          payload: z.strictObject({ piece: z.int() }),
          async run(call, { piece }) {
            call.note.subject('piece', piece)
            await clock.sleep(milliseconds, call.signal)
            call.signal.throwIfAborted()
            return async (db) => {
              await db
                .insertInto('facts')
                .values({ name: `piece.${piece}`, value: home })
                .execute()
            }
          },
        }),
      ],
    },
  },
)
console.log('ready')
