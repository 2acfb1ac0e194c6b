/** Packages that a Node with the role `app-prod` has. */
export const PACKAGES = [
  'acl',
  'caddy',
  'composer',
  'git',
  'php-bcmath',
  'php-cli',
  'php-curl',
  'php-fpm',
  'php-gd',
  'php-intl',
  'php-mbstring',
  'php-mysql',
  'php-pgsql',
  'php-sqlite3',
  'php-xml',
  'php-zip',
  'rsync',
  'sqlite3',
  'systemd-resolved',
  'ufw',
  'unzip',
  'wireguard-tools',
]

/** Units that run and start with the machine. */
export const UNITS = ['caddy', 'fleet-agent', 'php8.2-fpm', 'systemd-resolved', 'ufw', 'wg-quick@fleet']

/** A command that only looks, so it runs in check mode too. */
const looks = (name: string, words: readonly string[], isWrong: string, stdin?: string): unknown => ({
  name,
  'ansible.builtin.command': { argv: words, ...(stdin === undefined ? {} : { stdin }) },
  register: 'seen',
  changed_when: false,
  check_mode: false,
  failed_when: isWrong,
})

/**
 * What Doctor looks at on a Node with the role `app-prod`, said with the modules that Debian's ansible-core has: those that
 * state something where there is one, and one command for several questions where there is none.
 */
export const playbook: readonly unknown[] = [
  {
    hosts: 'all',
    gather_facts: false,
    tasks: [
      looks('system and architecture', ['uname', '-sm'], "seen.stdout != 'Linux x86_64'"),
      {
        name: 'managed user',
        'ansible.builtin.user': { name: 'fleet', home: '/home/fleet', shell: '/bin/bash' },
      },
      { name: 'packages', 'ansible.builtin.apt': { name: PACKAGES, state: 'present' } },
      looks('files', ['sha256sum', '--check', '--status', '--strict', '-'], 'seen.rc != 0', '{{ digests }}'),
      {
        name: 'units',
        'ansible.builtin.systemd': { name: '{{ item }}', state: 'started', enabled: true },
        loop: UNITS,
      },
      looks(
        'firewall',
        ['ufw', 'status', 'verbose'],
        "'Default: deny (incoming)' not in seen.stdout or 'fleet:wireguard-members' not in seen.stdout",
      ),
      looks(
        'tunnel address',
        ['ip', '-o', '-4', 'address', 'show', 'dev', 'fleet'],
        "(tunnel ~ '/') not in seen.stdout",
      ),
      looks('tunnel peer', ['wg', 'show', 'fleet', 'peers'], 'hub_key not in seen.stdout'),
      looks('resolver of the tunnel', ['resolvectl', 'domain', 'fleet'], "'~' not in seen.stdout"),
      looks('free disk', ['df', '-P', '-k', '/'], 'seen.rc != 0'),
    ],
  },
]
