import type { WideFleet, WideNode } from './fleet.ts'

/** A command of `fleet` for each Node, so many at once, as a person loops over them at the gateway's console. Throws LabFault when one fails. */
export const eachNode = (
  { gateway, nodes }: WideFleet,
  atOnce: number,
  words: (node: WideNode) => string,
): Promise<unknown> => {
  const lines = nodes.map((node) => `${words(node)} --json`)
  const loop = `printf '%s\\n' "$@" | xargs -P ${atOnce} -L 1 fleet`
  return gateway.host.run(['sh', '-c', loop, 'sh', ...lines], { timeoutSeconds: 300 })
}

export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}
