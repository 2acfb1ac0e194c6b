/** Ports of the Node that a Process publishes; none for one without a container. */
export function publishedPorts(runtime: object): readonly number[] {
  const container: unknown = 'container' in runtime ? runtime.container : undefined
  if (typeof container !== 'object' || container === null || !('ports' in container)) return []
  const { ports } = container
  if (!Array.isArray(ports)) return []
  return ports.map((port) => Number(/(?:^|:)(\d+):\d+(?:\/\w+)?$/.exec(String(port))?.[1]))
}
