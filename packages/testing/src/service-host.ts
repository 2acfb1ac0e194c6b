import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type LocalPool, localPool } from './local-pool.ts'
import { type FakeDocker, fakeDocker } from './docker/docker.ts'
import { type FakeSystemd, fakeSystemd } from './systemd/systemd.ts'

/** A folder that is the root of a Node with a service manager, so that its real scripts run here without being root. */
export interface ServiceHost extends Disposable {
  readonly root: string
  readonly systemd: FakeSystemd
  readonly docker: FakeDocker
  /** Whichever Node a command is for, it runs here. */
  readonly pool: LocalPool
  /** Absolute, of a path below the root. */
  at(path: string): string
  /** Text of a file below the root; undefined when there is none. */
  read(path: string): string | undefined
  write(path: string, text: string, mode?: number): void
  /** Another program of the Node, as shell. */
  install(name: string, source: string): void
}

export function serviceHost(): ServiceHost {
  // With a space in its path, and the real one: on macOS the temporary folder is behind a link.
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'fleet host-')))
  const systemd = fakeSystemd(root)
  const docker = fakeDocker(root)
  const at = (path: string): string => join(root, path)
  const write: ServiceHost['write'] = (path, text, mode) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text, { mode })
  }
  return {
    root,
    systemd,
    docker,
    pool: localPool({ home: root, env: systemd.env }),
    at,
    read: (path) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : undefined),
    write,
    install: (name, source) => write(`fake/${name}`, `#!/bin/sh\n${source}\n`, 0o755),
    [Symbol.dispose]: () => {
      systemd.end()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
