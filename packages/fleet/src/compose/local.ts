import type { ComposeDeps } from '#/compose/deps.ts'
import type { Network } from '#/network/api.ts'

type Settings = Pick<Network, 'settings'>

/** Embedded Nodes have no private network; whoever visits their sites is on this machine. */
export const servedNetwork = ({ local }: Pick<ComposeDeps, 'local'>, network: Settings): Settings =>
  local
    ? {
        settings: async () =>
          (await network.settings()) ?? {
            range: '127.0.0.0/8',
            hubPort: 0,
            endpoint: null,
            suffix: local.suffix,
          },
      }
    : network

/** There the web server runs as the user to whom the checkouts belong, so nothing is granted and nothing taken away. */
export const SAME_ACCOUNT = ''
