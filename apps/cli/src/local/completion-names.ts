import type { Context } from '#/context.ts'
import { connect } from '#/gateway/connection.ts'
import { nameRules } from '#/hints.ts'
import { routeOf } from '#/route.ts'
import { isObject } from '#/print/value.ts'

/** With the start of the program a person waits 300 ms for the gateway, and then does without it. */
const LOOKUP_MILLISECONDS = 220
/** A name is put into the line of a shell as it is. */
const PLAIN_NAME = /^[\w.][\w./-]*$/

interface Wish {
  readonly gateway: string | undefined
  readonly from: string | undefined
}

/** Names of the records of a family that the caller may list; none when the gateway does not answer in time or refuses. */
export async function recordNames(family: string, wish: Wish, context: Context): Promise<readonly string[]> {
  const stop = new AbortController()
  const late = context.clock.sleep(LOOKUP_MILLISECONDS, stop.signal).then(() => undefined)
  const answered = ask(family, wish, context, stop.signal).catch(() => undefined)
  const records = await Promise.race([answered, late])
  // Ends the request when it was too slow.
  stop.abort()
  return (Array.isArray(records) ? records : [])
    .filter(isObject)
    .flatMap((record) => nameRules[family]?.names(record, () => undefined).slice(0, 1) ?? [])
    .filter((name) => PLAIN_NAME.test(name))
}

async function ask(family: string, wish: Wish, context: Context, stop: AbortSignal): Promise<unknown> {
  const operation = context.tree.commands[nameRules[family]?.list ?? '']
  if (!operation) return undefined
  const connection = await connect(context.environment, wish)
  const signal = AbortSignal.any([context.signal, stop])
  return (await context.sender(connection).send(routeOf(operation), {}, { signal })).data
}
