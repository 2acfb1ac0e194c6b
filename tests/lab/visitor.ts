import assert from 'node:assert/strict'
import type { Host } from '../../lab/index.ts'

export interface Visits {
  /** Answers with the wanted status, over kept connections and fresh ones. */
  readonly answered: number
  /** What else happened, each once. */
  readonly failures: readonly string[]
  /** Requests over a kept connection that the server was closing, repeated once as browsers do. */
  readonly repeated: number
}

/**
 * A visitor in PHP: half of its requests keep their connection and half are fresh, and each is verified with the trust and the
 * resolver of its Node, whose answers it keeps no longer than that does.
 */
const VISITOR = `
[$url, $out] = [$argv[1], $argv[2]];
$counts = ['answered' => 0, 'repeated' => 0, 'failures' => []];
$kept = curl_init();
$began = microtime(true);
while (!file_exists("$out.stop")) {
  usleep(100000);
  foreach ([$kept, curl_init()] as $curl) {
    for ($try = 0; $try < 2; $try++) {
      curl_setopt_array($curl, [CURLOPT_URL => $url, CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 10, CURLOPT_DNS_CACHE_TIMEOUT => 0]);
      curl_exec($curl);
      $isReset = in_array(curl_errno($curl), [52, 55, 56]) && $curl === $kept;
      if (!$isReset || $try === 1) break;
      $counts['repeated']++;
    }
    $said = curl_errno($curl) ? 'error ' . curl_errno($curl) . ($curl === $kept ? ' kept ' : ' fresh ') . curl_getinfo($curl, CURLINFO_PRIMARY_IP) . ' after ' . round(microtime(true) - $began) . ' s: ' . curl_error($curl) : (string) curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    if ($said === '200') $counts['answered']++; else $counts['failures'][] = $said;
  }
}
file_put_contents("$out.new", json_encode($counts));
rename("$out.new", $out);
`

/** Asks for the page again and again while the work runs. */
export async function visiting(host: Host, url: string, work: () => Promise<unknown>): Promise<Visits> {
  const out = '/tmp/visits.json'
  await host.run(['sh', '-c', `rm -f ${out} ${out}.stop`])
  await host.run(['systemd-run', '--unit=visitor', '--collect', 'php', '-r', VISITOR, '--', url, out])
  try {
    await work()
  } finally {
    await host.run(['touch', `${out}.stop`])
  }
  const wait = `for try in $(seq 100); do [ -f ${out} ] && break; sleep 0.2; done; cat ${out}`
  const { answered, repeated, failures } = JSON.parse(await host.run(['sh', '-c', wait])) as Visits // Written by the program above.
  assert.ok(answered > 0, 'nobody was answered')
  return { answered, repeated, failures: [...new Set(failures)] }
}
