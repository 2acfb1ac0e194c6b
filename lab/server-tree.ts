import { join } from 'node:path'
import { machineSource, ofSuite } from './apt-sources.ts'
import { buildOnce, machineArchitecture, type Tree } from './base-tree.ts'
import { contentKey } from './packages.ts'
import { CACHE_FOLDER } from './place.ts'
import { program } from './program.ts'

const BUILD_SECONDS = 900

/** Database servers that this machine may lack, with the release of Debian that has them. No release has MySQL. */
const SERVERS = {
  'mysql-9': { suite: 'sid', packages: ['mysql-client-core', 'mysql-server-core'] },
  'mariadb-11': { suite: 'trixie', packages: ['mariadb-client-core', 'mariadb-server-core'] },
  'postgres-15': { suite: 'bookworm', packages: ['postgresql-15'] },
  'postgres-17': { suite: 'trixie', packages: ['postgresql-17'] },
} as const
export type TreeServer = keyof typeof SERVERS
export const treeServers = Object.keys(SERVERS) as readonly TreeServer[] // The keys of the table.

/**
 * A tree of that release with the programs of the server, whose libraries may be too new for this machine; made when the
 * cache lacks it: about 80 seconds and 600 MB. Throws LabFault where the mirror has no such packages.
 */
export async function ensureServerTree(server: TreeServer): Promise<Tree> {
  const { suite, packages } = SERVERS[server]
  const architecture = await machineArchitecture()
  const path = join(CACHE_FOLDER, `server-${contentKey([suite, architecture, ...packages])}`)
  return buildOnce(path, async (building) => {
    const { keyring, mirror } = ofSuite(machineSource(), suite)
    const words = ['--variant=minbase', `--keyring=${keyring}`, `--include=${packages.join()}`]
    await program(['debootstrap', ...words, suite, building, mirror], { timeoutSeconds: BUILD_SECONDS })
    await program(['chroot', building, 'apt-get', 'clean'])
  })
}
