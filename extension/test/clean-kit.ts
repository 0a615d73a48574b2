import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A page with all that Clean up is for, around an article that must stay. */
const CROWDED = `<!doctype html><html lang="en" style="overflow: hidden"><head><title>Daily</title><style>
body { margin: 0; font: 16px sans-serif }
body.locked { overflow: hidden }
header { position: sticky; top: 0; height: 60px; background: #eee; width: 100% }
article { padding: 20px; height: 3000px }
.promo { position: fixed; bottom: 0; left: 0; right: 0; height: 80px; background: gold }
.wall { position: fixed; inset: 0; background: #0008; z-index: 999 }
.wall form { position: absolute; inset: 20% 20%; background: white }
#onetrust-consent-sdk { position: fixed; bottom: 0; width: 100%; height: 150px; background: silver; z-index: 9 }
.adsbygoogle { display: block; height: 90px; background: pink }
iframe { width: 300px; height: 100px }
.chat { position: fixed; right: 8px; bottom: 100px; width: 48px; height: 48px; background: teal }
</style></head><body class="locked">
<header><a href="/">Daily</a> <a href="/news">News</a></header>
<main><article style="color:navy"><h1>Today</h1><p>${'The article that somebody wants to read. '.repeat(20)}</p>
<ins class="adsbygoogle" data-ad-slot="1" data-ad-client="2">Advertisement</ins>
<iframe src="/frame" title="Ad"></iframe></article></main>
<div id="onetrust-consent-sdk"><p>We use cookies.</p><button>Accept all</button></div>
<div class="promo" style="padding:4px">Only today: 20 % off</div>
<div class="wall newsletter-modal" style="color:red"><form><h2>Subscribe to our newsletter</h2><input></form></div>
<button class="chat">Chat</button>
</body></html>`;
const FRAME = `<!doctype html><title>Frame</title><div class="adsbygoogle" id="div-gpt-ad-1" style="height:50px">Ad</div>`;
/** A page that puts its wall up later, as a modal dialog. */
const LATE = `<!doctype html><title>Late</title><style>.top{position:fixed;top:0;width:100%;height:40px;background:#ddd}
#onetrust-consent-sdk{height:40px}</style><main><h1>Late</h1><div style="height:2000px">Text</div></main><nav class="top">Bar</nav>
<div id="onetrust-consent-sdk">Cookies</div>
<dialog><p>Join our mailing list</p></dialog><script>const late = () => document.querySelector('dialog').showModal();</script>`;
/** A page without anything to hide. */
const PLAIN = `<!doctype html><title>Plain</title><div style="position:fixed;inset:0;overflow:auto"><main><h1>App</h1>${'<p>Text of the application.</p>'.repeat(50)}</main></div>`;

/** Serves the pages on this machine. */
export async function pages(): Promise<{ origin: string; stop: () => Promise<void> }> {
  const bodies: Record<string, string> = {
    '/': CROWDED,
    '/frame': FRAME,
    '/late': LATE,
    '/plain': PLAIN,
  };
  const server: Server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    // A page with a strict policy is cleaned up like every other.
    response.setHeader(
      'content-security-policy',
      "style-src 'unsafe-inline'; default-src 'self' 'unsafe-inline'",
    );
    response.end(bodies[request.url ?? '/'] ?? PLAIN);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  };
}
