#!/usr/bin/env python3
"""Draws the pictures of the tests and of the demo, and writes what they must look like to manifest.json.

Every pixel is computed here; nothing is copied from anywhere. Needs Pillow, numpy and the shared library of Little CMS:

    python3 Tests/Fixtures/make_pictures.py [FOLDER]
"""
import ctypes, json, os, struct, sys, zlib
import numpy as np
from PIL import Image, ImageDraw, ImageFilter

FOLDER = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), 'pictures')
MANIFEST = []


# ---------------------------------------------------------------- drawing with arrays: values 0 ... 1, shape (h, w, 3)

def grid(width, height):
    """Pixel centres as x, y in units of the height."""
    y, x = np.mgrid[0:height, 0:width]
    return (x + .5) / height, (y + .5) / height


def color(text):
    return np.array([int(text[i:i + 2], 16) / 255 for i in (0, 2, 4)])


def ramp(t, *stops):
    """Colours along t: (position, 'rrggbb') pairs."""
    positions = [p for p, _ in stops]
    values = np.array([color(c) for _, c in stops])
    return np.stack([np.interp(t, positions, values[:, i]) for i in range(3)], -1)


def mix(below, above, amount):
    return below + (above - below) * np.clip(amount, 0, 1)[..., None]


def inside(distance, height, soft=1.0):
    """Coverage of a shape from its signed distance in units of the height."""
    return np.clip(.5 - distance * height / soft, 0, 1)


def noise(width, height, cells, seed, octaves=5):
    """Smooth noise, 0 ... 1."""
    random = np.random.default_rng(seed)
    total, weight = np.zeros((height, width)), 0
    for octave in range(octaves):
        n = cells << octave
        field = Image.fromarray(random.random((n + 1, int(n * width / height) + 2)).astype(np.float32))
        total += np.asarray(field.resize((width, height), Image.BICUBIC)) / 2 ** octave
        weight += 1 / 2 ** octave
    return np.clip(total / weight, 0, 1)


def ridge(x, seed, height, roughness):
    """Outline of a mountain chain over x."""
    random = np.random.default_rng(seed)
    line = np.zeros_like(x)
    for k in range(1, 9):
        line += roughness / 1.7 ** k * np.abs(np.sin(x * 1.55 ** k * 2.2 + random.random() * 7))
    return height - line


def stars(picture, count, seed, limit=1.0):
    height, width = picture.shape[:2]
    random = np.random.default_rng(seed)
    for _ in range(count):
        x, y = random.integers(1, width - 1), random.integers(1, max(2, int((height - 2) * limit)))
        light = random.random() ** 3
        picture[y, x] = np.maximum(picture[y, x], light)
        if light > .6:
            picture[y - 1:y + 2, x] = np.maximum(picture[y - 1:y + 2, x], light * .45)
            picture[y, x - 1:x + 2] = np.maximum(picture[y, x - 1:x + 2], light * .45)
    return picture


def shapes(size, draw, scale=3, mode='RGB', background=0):
    """Vector drawing with smooth edges; `draw` receives an ImageDraw and the scale."""
    picture = Image.new(mode, (size[0] * scale, size[1] * scale), background)
    draw(ImageDraw.Draw(picture), scale)
    return picture.resize(size, Image.LANCZOS)


def bytes8(picture):
    return np.clip(picture * 255 + .5, 0, 255).astype(np.uint8)


# ---------------------------------------------------------------- the motifs

def sunset(w, h):
    x, y = grid(w, h)
    p = ramp(y, (0, '1d2b64'), (.3, '8a3f76'), (.52, 'f2774c'), (.66, 'ffd27d'), (1, 'ffe9b0'))
    d = np.hypot(x - .95, y - .56)
    p = mix(p, color('fff3c9'), np.exp(-(d / .16) ** 2) * .75)
    p = mix(p, color('fffbe6'), inside(d - .075, h))
    clouds = noise(w, h, 3, 4) * np.exp(-((y - .3) / .16) ** 2)
    p = mix(p, color('ffb199'), np.clip((clouds - .35) * 2.2, 0, .7))
    for i, (level, rough, tone) in enumerate(((.66, .10, 'c0667a'), (.74, .13, '8d4a77'), (.84, .16, '53336b'), (.95, .17, '251c42'))):
        line = ridge(x, 11 + i, level, rough)
        haze = np.clip((y - line) / .3, 0, 1)[..., None] * (color('ffb38a') - color(tone)) * (.35 - .08 * i)
        p = mix(p, color(tone) + haze, inside(line - y, h, 1.5))
    return p


def aurora(w, h):
    x, y = grid(w, h)
    p = ramp(y, (0, '050a1f'), (.6, '0b2545'), (1, '13466b'))
    p = stars(p, 420, 5, .75)
    for k, (base, tone) in enumerate(((.42, '3dffb0'), (.34, '52e5ff'), (.27, 'b07cff'))):
        line = base + .09 * np.sin(x * 3.1 + k * 1.3) + .04 * np.sin(x * 8.3 + k)
        up = line - y
        rays = .55 + .45 * np.sin(x * 60 + 9 * np.sin(x * 5 + k)) * np.sin(x * 23 + k)
        light = np.where(up > 0, np.exp(-up / .16), np.exp(up / .018)) * (.45 + .55 * rays)
        p = p + light[..., None] * color(tone) * .62
    lake = ridge(x, 23, .86, .10)
    p = mix(p, color('04121f'), inside(lake - y, h, 1.5))
    return np.clip(p, 0, 1)


def balloons(w, h):
    x, y = grid(w, h)
    p = ramp(y, (0, '3c8ce7'), (.6, 'a5d8ff'), (1, 'fdf3dc'))
    cloud = noise(w, h, 4, 8)
    p = mix(p, color('ffffff'), np.clip((cloud - .52) * 4, 0, .85) * np.clip(1.3 - y, 0, 1))
    for cx, cy, r, a, b in ((.38, .38, .2, 'e63946', 'ffe8d6'), (.98, .29, .13, '2a9d8f', 'f4e285'), (.83, .63, .095, '7b2cbf', 'ffb703'),
                            (1.2, .56, .075, 'fb8500', '023047')):
        u, v = (x - cx) / r, (y - cy) / r
        body = np.where(v > 0, np.hypot(u * (1 + .35 * np.clip(v, 0, 2) ** 1.5), v / 1.25), np.hypot(u, v)) - 1
        stripe = np.arcsin(np.clip(u / np.sqrt(np.clip(1 - np.clip(v / 1.25, -1, 1) ** 2, .04, 1)), -1, 1))
        tone = np.where((np.sin(stripe * 6) > 0)[..., None], color(a), color(b))
        shade = np.clip(1.08 - .55 * np.hypot(u + .35, v + .35), .45, 1.1)[..., None]
        p = mix(p, np.clip(tone * shade, 0, 1), inside(body * r, h, 1.5))
        basket = np.maximum(np.abs(u) - .13, np.abs(v - 1.52) - .11)
        ropes = np.maximum(np.abs(np.abs(u) - (.13 + (1.41 - v) * .28)) - .012, np.abs(v - 1.27) - .15)
        p = mix(p, color('6b4226'), inside(basket * r, h))
        p = mix(p, color('4a3020'), inside(ropes * r, h) * .8)
    hills = .94 - .05 * np.sin(x * 4) - .03 * np.sin(x * 9 + 1)
    return mix(p, mix(np.broadcast_to(color('5fa052'), p.shape), color('2f6b3c'), (y - hills) * 9), inside(hills - y, h))


def planet(w, h):
    x, y = grid(w, h)
    p = ramp(np.clip(noise(w, h, 2, 12) * 1.5 - .3, 0, 1), (0, '05030f'), (.5, '14103a'), (.8, '46215f'), (1, '9c3c6e'))
    p = stars(p, 700, 3)
    u, v = x - .72, y - .5
    tilt = .42
    a, b = u * np.cos(tilt) + v * np.sin(tilt), -u * np.sin(tilt) + v * np.cos(tilt)
    r = np.hypot(a, b) / .26
    z = np.sqrt(np.clip(1 - r ** 2, 0, 1))
    bands = .5 + .5 * np.sin(b * 46 + 1.5 * np.sin(a * 7) + 4 * noise(w, h, 5, 2))
    ball = ramp(bands, (0, 'b5651d'), (.4, 'e8b26a'), (.7, 'ffe0ac'), (1, 'd98c5f'))
    light = np.clip(.1 + 1.05 * (-a / .26 * .55 - b / .26 * .35 + z * .75), .03, 1.05)[..., None]
    ring = np.hypot(a, b * 3.4)
    grain = .55 + .45 * np.sin(ring * 160) * np.sin(ring * 61)
    cover = np.clip((ring - .33) * 60, 0, 1) * np.clip((.55 - ring) * 60, 0, 1) * (.35 + .6 * grain) * np.where(np.abs(ring - .455) < .012, .1, 1)
    tone = ramp(grain, (0, '8a6f5a'), (1, 'ffe9c9'))
    p = mix(p, tone, np.where(b < 0, cover, 0))
    p = mix(p, np.clip(ball * light, 0, 1), inside((r - 1) * .26, h, 1.5))
    return mix(p, tone, np.where(b >= 0, cover, 0))


def dunes(w, h):
    x, y = grid(w, h)
    p = np.interp(y, [0, .5], [.06, .36])
    p = p + np.exp(-(np.hypot(x - 1.12, y - .22) / .2) ** 2) * .25
    p = np.where(np.hypot(x - 1.12, y - .22) < .085, .96 - .16 * noise(w, h, 14, 3), p)
    for k in range(6):
        line = .47 + k * .095 + .06 * np.sin(x * (2.3 - k * .17) + k * 2.1) + .02 * np.sin(x * 6 + k)
        depth = np.clip((y - line) / .16, 0, 1)
        slope = np.cos(x * (2.3 - k * .17) + k * 2.1)
        tone = .62 - .07 * k + .17 * slope - .33 * depth + .03 * np.sin((y - line) * 320 + 8 * x + 5 * np.sin(x * 9))
        m = inside(line - y, h, 1.5)
        p = p + (np.clip(tone, .02, .95) - p) * m
    return np.repeat(np.clip(p, 0, 1)[..., None], 3, 2)


def garden(w, h):
    x, y = grid(w, h)
    p = ramp(np.hypot(x - .5, y - .5), (0, 'fff8ea'), (.75, 'f3dfc1'))
    random = np.random.default_rng(31)
    for _ in range(46):
        cx, cy, r, turn = random.random() * 1.1 - .05, random.random() * 1.1 - .05, .05 + random.random() * .10, random.random() * 6
        petals = random.integers(5, 9)
        tone = color(['d7263d', 'f46036', '2e294e', '1b998b', 'c5d86d', 'ff9f1c', '9b5de5'][random.integers(7)])
        angle, d = np.arctan2(y - cy, x - cx) + turn, np.hypot(x - cx, y - cy)
        edge = r * (.55 + .45 * np.abs(np.cos(angle * petals / 2)))
        p = mix(p, tone * (.78 + .3 * np.clip(d / r, 0, 1))[..., None], inside(d - edge, h, 1.5) * .9)
        p = mix(p, color('ffd166'), inside(d - r * .2, h, 1.5))
    return np.clip(p, 0, 1)


def lighthouse(w, h):
    x, y = grid(w, h)
    p = ramp(y, (0, '0f2027'), (.45, '2c5364'), (.68, 'f7b267'), (.75, 'f25c54'))
    p = stars(p, 160, 9, .4)
    angle = np.arctan2(y - .285, x - .40)
    for beam, width in ((.25, .09), (np.pi + .25, .09)):
        off = np.abs(np.angle(np.exp(1j * (angle - beam))))
        p = p + (np.clip(1 - off / width, 0, 1) * np.exp(-np.hypot(x - .4, y - .285) / .55) * .75)[..., None] * color('fff1b5')
    sea = .76
    wave = .5 + .5 * np.sin(y * 150 + 4 * np.sin(x * 10) + 2 * np.sin(x * 31))
    water = mix(ramp(y, (.76, 'c9655a'), (.85, '3c5a78'), (1, '0f2a3f')), color('ffd9a0'), wave * .28 * np.exp(-((x - .33) / .18) ** 2))
    p = mix(p, water, inside(sea - y, h))
    rock = .80 + .10 * np.abs(x - .40) + .03 * np.sin(x * 25) - .05 * np.exp(-((x - .4) / .1) ** 2)
    p = mix(p, color('1b1b2a'), inside(rock - y, h, 1.5) * (np.abs(x - .4) < .31))
    half = .045 + (y - .32) * .045
    tower = np.maximum(np.abs(x - .40) - half, np.maximum(.32 - y, y - .80))
    stripes = np.where((np.sin((y - .32) * 40) > 0)[..., None], color('e63946'), color('f8f4ec'))
    p = mix(p, stripes * np.clip(1.05 - 8 * np.abs(x - .385), .45, 1)[..., None], inside(tower, h, 1.5))
    lamp = np.maximum(np.abs(x - .40) - .033, np.abs(y - .295) - .026)
    roof = np.maximum(np.abs(x - .40) - (y - .215) * .9, y - .27)
    p = mix(p, color('fff6c8'), inside(lamp, h))
    return np.clip(mix(p, color('7a1f2b'), inside(roof, h)), 0, 1)


def plasma(w, h):
    x, y = grid(w, h)
    t = np.sin(x * 7) + np.sin(y * 9 + 1) + np.sin((x + y) * 6) + np.sin(np.hypot(x - .5, y - .4) * 14)
    return ramp((t + 4) / 8, (0, '03045e'), (.25, '0096c7'), (.45, '90e0ef'), (.6, 'ffd6a5'), (.8, 'ff5d8f'), (1, '7209b7'))


def escape(w, h, center, zoom, julia=None, limit=120):
    x, y = grid(w, h)
    z = center + ((x - w / h / 2) + 1j * (y - .5)) * zoom
    c = z.copy() if julia is None else np.full_like(z, julia)
    n = np.full(z.shape, float(limit))
    for i in range(limit):
        z = np.where(n == limit, z * z + c, z)
        out = (n == limit) & (np.abs(z) > 16)
        n[out] = i + 1 - np.log2(np.log2(np.abs(z[out])))
    return n, limit


def mandelbrot(w, h):
    n, limit = escape(w * 2, h * 2, -.7435 + .1314j, .022, limit=300)
    t = np.log(np.clip(n, 1, None)) / np.log(limit)
    p = ramp((t * 3.1) % 1, (0, '000764'), (.16, '206bcb'), (.42, 'edffff'), (.64, 'ffaa00'), (.86, '31020f'), (1, '000764'))
    p[n >= limit] = 0
    return p.reshape(h, 2, w, 2, 3).mean((1, 3))


def julia(w, h):
    n, limit = escape(w * 2, h * 2, 0j, 2.6, julia=-.79 + .156j, limit=160)
    t = (np.sqrt(np.clip(n, 0, None) / limit))
    p = ramp(t, (0, '10002b'), (.25, '5a189a'), (.45, 'e0aaff'), (.62, 'ff9e00'), (1, 'fff3b0'))
    return p.reshape(h, 2, w, 2, 3).mean((1, 3))


def wheel(w, h):
    x, y = grid(w, h)
    u, v = x - .5, y - .5
    d, hue = np.hypot(u, v) / .47, (np.arctan2(v, u) / (2 * np.pi)) % 1
    p = np.stack([np.clip(np.abs((hue * 6 + o) % 6 - 3) - 1, 0, 1) for o in (0, 4, 2)], -1)
    p = 1 - (1 - p) * np.clip(d, 0, 1)[..., None]
    alpha = inside((d - 1) * .47, h, 1.5) * inside((.24 - d) * .47, h, 1.5)
    return np.dstack([p, alpha])


def chart(w, h):
    def draw(d, s):
        d.rectangle([0, 0, w * s, h * s], '#fbfaf5')
        for i in range(1, 6):
            d.line([60 * s, (h - 50 - i * 70) * s, (w - 40) * s, (h - 50 - i * 70) * s], '#e2ded2', s)
        tones = ('#264653', '#2a9d8f', '#8ab17d', '#e9c46a', '#f4a261', '#e76f51')
        for i, v in enumerate((120, 190, 150, 265, 315, 240, 340, 290, 370)):
            left = 80 + i * 74
            d.rounded_rectangle([left * s, (h - 50 - v) * s, (left + 48) * s, (h - 50) * s], 8 * s, tones[i % 6])
        points = [((104 + i * 74) * s, (h - 120 - v) * s) for i, v in enumerate((60, 130, 170, 160, 260, 300, 250, 320, 330))]
        d.line(points, '#1d3557', 4 * s, 'curve')
        for px, py in points:
            d.ellipse([px - 8 * s, py - 8 * s, px + 8 * s, py + 8 * s], '#fbfaf5', '#1d3557', 4 * s)
        d.line([60 * s, 30 * s, 60 * s, (h - 50) * s, (w - 30) * s, (h - 50) * s], '#44403a', 3 * s)
    return np.asarray(shapes((w, h), draw))


def truchet(w, h):
    tones, tile = ['#14213d', '#fca311', '#e5e5e5', '#2ec4b6', '#e71d36'], 60

    def draw(d, s):
        random = np.random.default_rng(7)
        t = tile * s
        for ty in range(0, h * s, t):
            for tx in range(0, w * s, t):
                d.rectangle([tx, ty, tx + t, ty + t], tones[0])
                pairs = ([(0, 0), (1, 1)], [(1, 0), (0, 1)])[random.integers(2)]
                for cx, cy in pairs:
                    for r, tone in ((.72, tones[1 + random.integers(4)]), (.58, tones[0]), (.42, tones[1 + random.integers(4)]), (.28, tones[0])):
                        box = [tx + (cx - r) * t, ty + (cy - r) * t, tx + (cx + r) * t, ty + (cy + r) * t]
                        start = {(0, 0): 0, (1, 0): 90, (1, 1): 180, (0, 1): 270}[cx, cy]
                        d.pieslice(box, start, start + 90, tone)
    return shapes((w, h), draw)


def badge(w, h):
    def draw(d, s):
        c = w / 2 * s
        teeth = [(c + np.cos(a) * r * s, c + np.sin(a) * r * s) for i in range(48)
                 for a, r in ((i * np.pi / 24, 190), (i * np.pi / 24 + np.pi / 48, 172))]
        d.polygon(teeth, (178, 34, 52, 255))
        for r, tone in ((160, (255, 244, 214, 255)), (148, (178, 34, 52, 255)), (140, (12, 45, 87, 255))):
            d.ellipse([c - r * s, c - r * s, c + r * s, c + r * s], tone)
        star = [(c + np.sin(i * np.pi / 5) * r * s, c - np.cos(i * np.pi / 5) * r * s) for i in range(10) for r in ((108, 44)[i % 2],)]
        d.polygon(star, (255, 209, 102, 255))
        for i in range(12):
            a = i * np.pi / 6
            d.ellipse([c + np.cos(a) * 124 * s - 5 * s, c + np.sin(a) * 124 * s - 5 * s, c + np.cos(a) * 124 * s + 5 * s, c + np.sin(a) * 124 * s + 5 * s], (255, 244, 214, 255))
    return shapes((w, h), draw, mode='RGBA', background=(0, 0, 0, 0))


def ripple(w, h):
    x, y = grid(w, h)
    t = sum(np.cos(np.hypot(x - cx, y - cy) * f) for cx, cy, f in ((.3, .35, 55), (.72, .62, 48), (.5, .1, 30)))
    return (t + 3) / 6


def contours(w, h):
    x, y = grid(w, h)
    field = noise(w, h, 3, 41, 4)
    level = np.clip((field - .18) / .64, 0, .9999) * 12
    steps = ramp(np.floor(level) / 11, (0, '08306b'), (.3, '4292c6'), (.38, 'f7e6b5'), (.5, '8cbf6a'), (.75, '4f7f3b'), (.9, 'a98b6d'), (1, 'ffffff'))
    gradient = np.hypot(*np.gradient(level)) + 1e-6
    line = np.clip(1.1 - np.abs((level + .5) % 1 - .5) / gradient, 0, 1) * .55
    return mix(steps, color('3a2b20'), line)


def glass(w, h):
    x, y = grid(w, h)
    u, v = x - .5, y - .5
    box = np.hypot(np.clip(np.abs(u) - .26, 0, None), np.clip(np.abs(v) - .26, 0, None)) - .18
    p = ramp(x * .5 + y * .5, (0, '7f5af0'), (.5, '2cb1ff'), (1, '2cffc4'))
    p = mix(p, color('ffffff'), np.clip(.55 - y * 1.1 - .25 * np.sin(x * 3), 0, 1) * .7)
    drop = np.hypot(u, (v + .02) * np.where(v < -.02, 1 + (-.02 - v) * -1.1, 1)) - .17
    p = mix(p, color('ffffff'), inside(drop, h, 1.5) * .92)
    p = mix(p, color('7f5af0'), inside(np.hypot(u - .02, v - .02) - .085, h, 1.5))
    shadow = np.exp(-(np.clip(np.hypot(np.clip(np.abs(u) - .26, 0, None), np.clip(np.abs(v - .03) - .26, 0, None)) - .15, 0, None) / .05) ** 2) * .45
    body = inside(box, h, 1.5) * .93
    alpha = body + shadow * (1 - body)
    return np.dstack([p * (body / np.maximum(alpha, 1e-6))[..., None], alpha])


def deep(w, h):
    """16 bits: slopes so gentle that 8 bits show bands."""
    x, y = grid(w, h)
    p = ramp(y, (0, '1b1f3b'), (.55, '53354a'), (.8, '903749'), (1, 'e84545'))
    d = np.hypot(x - .75, y - .95)
    return np.clip(mix(p, color('ffd8a9'), np.exp(-(d / .45) ** 2) * .8), 0, 1)


def pearl(w, h):
    x, y = grid(w, h)
    u, v = (x - .5) / .36, (y - .47) / .36
    r = np.hypot(u, v)
    z = np.sqrt(np.clip(1 - r * r, 0, 1))
    light = np.clip(-u * .45 - v * .6 + z * .66, 0, 1)
    ball = .08 + .72 * light + .55 * light ** 30 + .1 * np.clip(v, 0, 1) * z
    floor = .78 - .35 * y - .45 * np.exp(-((x - .55) / .25) ** 2 - ((y - .88) / .05) ** 2)
    m = inside((r - 1) * .36, h, 1.5)
    return np.clip(floor + (ball - floor) * m, 0, 1)


def pinwheel(w, h, turn=0.0, blades=9):
    tones = ('#ef476f', '#ffd166', '#06d6a0', '#118ab2', '#073b4c')

    def draw(d, s):
        d.rectangle([0, 0, w * s, h * s], '#f7f7ff')
        for ring in range(7, 0, -1):
            r = ring * h * .068 * s
            for k in range(blades * 2):
                a = k * 180 / blades + (turn if ring % 2 else -turn) + ring * 6
                d.pieslice([w / 2 * s - r, h / 2 * s - r, w / 2 * s + r, h / 2 * s + r], a, a + 180 / blades, tones[(k + ring) % 5])
        r = 14 * s
        d.ellipse([w / 2 * s - r, h / 2 * s - r, w / 2 * s + r, h / 2 * s + r], '#f7f7ff')
    return shapes((w, h), draw)


def stained_glass(w, h):
    random = np.random.default_rng(19)
    x, y = grid(w, h)
    points = random.random((90, 2))
    tones = np.array([color(c) for c in ('9b2226', 'ae2012', 'ca6702', 'ee9b00', 'e9d8a6', '94d2bd', '0a9396', '005f73', '3a0ca3')])
    d = np.stack([np.hypot(x - a, y - b) for a, b in points])
    order = np.argsort(d, 0)[:2]
    near, second = np.take_along_axis(d, order, 0)
    p = tones[(np.arange(90) * 7 + (points[:, 0] * 9).astype(int)) % 9][order[0]]
    p = p * (1.12 - near * 2.4)[..., None]
    return np.clip(mix(p, color('14110f'), inside(second - near - .011, h, 1.5)), 0, 1)


def sticker(w, h):
    def draw(d, s):
        c = w / 2 * s
        for grow, tone in ((20, (255, 255, 255, 255)), (0, (255, 183, 3, 255))):
            d.polygon([(c + np.sin(i * np.pi / 5) * r * s, c + 8 * s - np.cos(i * np.pi / 5) * r * s)
                       for i in range(10) for r in (((158 + grow, 74 + grow * .7))[i % 2],)], tone)
        for dx in (-26, 26):
            d.ellipse([c + (dx - 11) * s, c - 24 * s, c + (dx + 11) * s, c + 6 * s], (60, 42, 33, 255))
            d.ellipse([c + (dx - 4) * s, c - 20 * s, c + (dx + 5) * s, c - 11 * s], (255, 255, 255, 255))
            d.ellipse([c + (dx * 1.9 - 13) * s, c + 10 * s, c + (dx * 1.9 + 13) * s, c + 28 * s], (251, 133, 0, 255))
        d.chord([c - 22 * s, c - 6 * s, c + 22 * s, c + 36 * s], 0, 180, (155, 34, 38, 255))
    return shapes((w, h), draw, scale=4, mode='RGBA', background=(255, 255, 255, 0))


def orbit(w, h, t):
    def draw(d, s):
        d.rectangle([0, 0, w * s, h * s], '#10002b')
        c = w / 2 * s
        for i, (r, tone, size, speed) in enumerate(((46, '#f72585', 9, 4), (78, '#4cc9f0', 12, 3), (110, '#ffd60a', 10, 2), (140, '#80ed99', 13, 1))):
            d.ellipse([c - r * s, c - r * s, c + r * s, c + r * s], None, '#3c096c', 2 * s)
            for k in range(7, -1, -1):
                a = 2 * np.pi * speed * t + i - k * .09
                q = size * (1 - k * .11)
                px, py = c + np.cos(a) * r * s, c + np.sin(a) * r * s
                shade = Image.new('RGB', (1, 1), tone).getpixel((0, 0))
                fade = tuple(int(v * (1 - k / 8) + b * k / 8) for v, b in zip(shade, (16, 0, 43)))
                d.ellipse([px - q * s, py - q * s, px + q * s, py + q * s], fade)
        d.ellipse([c - 24 * s, c - 24 * s, c + 24 * s, c + 24 * s], '#ff9e00')
        d.ellipse([c - 17 * s, c - 17 * s, c + 17 * s, c + 17 * s], '#ffd60a')
    return shapes((w, h), draw)


def reef(w, h):
    x, y = grid(w, h)
    p = ramp(y, (0, '48cae4'), (.4, '0096c7'), (1, '023e8a'))
    for k in range(7):
        a = x - .15 - k * .22 + (y * .35)
        p = p + (np.exp(-(a / .035) ** 2) * np.clip(.75 - y, 0, 1) * .35)[..., None]
    random = np.random.default_rng(77)
    for _ in range(34):
        cx, cy, size = random.random() * w / h, .12 + random.random() * .55, .014 + random.random() * .022
        face = random.choice((-1, 1))
        u, v = (x - cx) / size * face, (y - cy) / size
        fish = np.minimum(np.hypot(u / 1.7, v) - .75, np.maximum(np.abs(v) - (-u - 1.0) * .9, -u - 2.0))
        tone = color(['ffb703', 'fb8500', 'ff006e', 'f1faee', '8ecae6'][random.integers(5)])
        p = mix(p, tone, inside(fish * size, h, 1.5))
        p = mix(p, color('14213d'), inside((np.hypot(u - .75, v + .15) - .16) * size, h, 1.5))
    for _ in range(60):
        cx, base, tall = random.random() * w / h, 1.02, .07 + random.random() * .25
        tone = color(['ff4d6d', 'c9184a', 'ff8fa3', '9d4edd', '2ec4b6', 'ffd166'][random.integers(6)])
        lean = .02 * np.sin(y * 18 + cx * 20)
        stalk = np.abs(x - cx - lean) - .012 * (1 + .6 * np.sin(y * 60))
        p = mix(p, tone * (.6 + .5 * np.clip((base - y) / tall, 0, 1))[..., None], inside(np.maximum(stalk, base - tall - y), h, 2))
    return np.clip(p, 0, 1)


def leaf(w, h):
    x, y = grid(w, h)
    u, v = (x - .5) * .7071 + (y - .5) * .7071, -(x - .5) * .7071 + (y - .5) * .7071
    t = np.clip((u + .52) / 1.0, 0, 1)
    half = .25 * np.sin(np.pi * t ** .8) ** .9 + .006 * np.sin(t * 90)
    body = np.abs(v) - half
    stem = np.maximum(np.abs(v) - .008, np.abs(u - .55) - .1)
    p = ramp(np.clip(t + v, 0, 1), (0, 'd9ed92'), (.35, '76c893'), (.7, '1a936f'), (1, '114b5f'))
    vein = np.minimum(np.abs(v) - .004, np.abs(np.sin((u - np.abs(v) * .9) * 38)) * .025 - .003)
    p = mix(p, color('f1ffd8'), inside(vein, h, 2) * .55)
    alpha = np.maximum(inside(body, h, 2) * (t > .004) * (t < .996), inside(stem, h, 2))
    p = mix(p, color('2d6a4f'), inside(stem, h, 2) * (u > .47))
    return np.dstack([p, alpha])


def city(w, h):
    x, y = grid(w, h)
    p = ramp(y, (0, '0d0221'), (.45, '3a0f5c'), (.75, 'd1495b'), (1, 'edae49'))
    p = stars(p, 220, 14, .5)
    moon = np.hypot(x - .35, y - .22)
    p = mix(p, color('fff4d6'), inside(moon - .07, h, 1.5) * inside(.065 - np.hypot(x - .38, y - .2), h, 1.5))
    random = np.random.default_rng(50)
    for layer, (tone, low, high, lights) in enumerate((('5b2a6e', .38, .62, 0), ('341650', .50, .78, .25), ('140a26', .58, .9, .5))):
        left = -.02
        while left < w / h:
            wide, top = .05 + random.random() * .09, low + random.random() * (high - low) * .6 + layer * .06
            box = np.maximum(np.abs(x - left - wide / 2) - wide / 2, top - y)
            p = mix(p, color(tone), inside(box, h))
            if lights:
                wx, wy = ((x - left) / .017), ((y - top) / .026)
                pane = (wx % 1 > .3) & (wx % 1 < .8) & (wy % 1 > .3) & (wy % 1 < .75) & (box < -.008)
                key = (np.floor(wx) * 12.9898 + np.floor(wy) * 78.233 + left * 43.7) % 1
                hit = np.abs(np.sin(np.floor(wx) * 12.9898 + np.floor(wy) * 78.233 + left * 437)) < lights
                p[pane & hit] = color('ffd97d') * (.75 + .25 * key[pane & hit])[:, None]
            left += wide + random.random() * .012
    return np.clip(p, 0, 1)


# ---------------------------------------------------------------- encoders that Pillow lacks

def png_chunk(name, data):
    return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))


def png_rows(samples, step):
    """Rows of bytes, each with the filter whose result is smallest; None, Sub and Up are tried."""
    out, above = [], np.zeros(samples.shape[1], np.int16)
    for row in samples.astype(np.int16):
        left = np.concatenate([np.zeros(step, np.int16), row[:-step]]) if len(row) > step else np.zeros(len(row), np.int16)
        tries = [(row - other) & 255 for other in (0, left, above)]
        best = min(range(3), key=lambda i: np.minimum(tries[i], 256 - tries[i]).sum())
        out.append(bytes([best]) + tries[best].astype(np.uint8).tobytes())
        above = row
    return b''.join(out)


def write_png(path, samples, color_type, depth=8, interlaced=False):
    """`samples`: (h, w, channels) of 8 or 16 bits."""
    height, width, channels = samples.shape
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)] if interlaced else [(0, 0, 1, 1)]
    step, data = channels * depth // 8, b''
    for x, y, dx, dy in passes:
        part = samples[y::dy, x::dx]
        flat = np.ascontiguousarray(part.astype('>u2' if depth == 16 else 'u1')).view(np.uint8).reshape(part.shape[0], -1)
        data += png_rows(flat, step)
    with open(path, 'wb') as f:
        f.write(b'\x89PNG\r\n\x1a\n' + png_chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, depth, color_type, 0, 0, int(interlaced))))
        f.write(png_chunk(b'IDAT', zlib.compress(data, 9)) + png_chunk(b'IEND', b''))


def display_p3_profile():
    """An ICC profile with the primaries of Display P3 and the curve of sRGB, made by Little CMS."""
    lcms = ctypes.CDLL('liblcms2.so.2')
    double, pointer = ctypes.c_double, ctypes.c_void_p
    lcms.cmsBuildParametricToneCurve.restype = lcms.cmsCreateRGBProfile.restype = pointer
    lcms.cmsCreateRGBProfile.argtypes = [pointer, pointer, pointer]
    lcms.cmsSaveProfileToMem.argtypes = [pointer, pointer, pointer]
    curve = lcms.cmsBuildParametricToneCurve(None, 4, (double * 5)(2.4, 1 / 1.055, .055 / 1.055, 1 / 12.92, .04045))
    white = (double * 3)(.3127, .3290, 1)
    primaries = (double * 9)(.680, .320, 1, .265, .690, 1, .150, .060, 1)
    profile = lcms.cmsCreateRGBProfile(white, primaries, (pointer * 3)(curve, curve, curve))
    size = ctypes.c_uint32(0)
    lcms.cmsSaveProfileToMem(profile, None, ctypes.byref(size))
    data = ctypes.create_string_buffer(size.value)
    lcms.cmsSaveProfileToMem(profile, data, ctypes.byref(size))
    # The date of creation would make each run differ.
    return data.raw[:24] + struct.pack('>6H', 2024, 1, 1, 0, 0, 0) + data.raw[36:size.value]


def srgb_to_p3(picture):
    linear = np.where(picture <= .04045, picture / 12.92, ((picture + .055) / 1.055) ** 2.4)
    matrix = np.array([[.8224621, .1775380, 0], [.0331941, .9668058, 0], [.0170827, .0723974, .9105199]])
    linear = np.clip(linear @ matrix.T, 0, 1)
    return np.where(linear <= .0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - .055)


# ---------------------------------------------------------------- what the result must look like

def probes(rgba, tolerance, count=5):
    """Calm places, far from each other: x, y, colour."""
    height, width = rgba.shape[:2]
    calm = []
    for y in range(12, height - 12, 9):
        for x in range(12, width - 12, 9):
            part = rgba[y - 6:y + 7, x - 6:x + 7].astype(int)
            calm.append((int((part.max((0, 1)) - part.min((0, 1))).max()), x, y))
    chosen, limit = [], sorted(calm)[len(calm) // 2][0]
    order = np.random.default_rng(1).permutation(len(calm))
    for spread in (40, 0):
        for i in order:
            spread_now, x, y = calm[i]
            value = rgba[y, x].astype(int)
            if value[3] == 0 and any(c[2][3] == 0 for c in chosen):
                continue
            if len(chosen) < count and spread_now <= max(limit, 1) and all((x, y) != c[:2] and np.abs(value - c[2]).max() >= spread for c in chosen):
                chosen.append((x, y, value))
    return [{'x': int(x), 'y': int(y), 'rgba': [int(v) for v in c], 'tolerance': tolerance} for x, y, c in chosen[:count]]


def to_rgba(picture):
    picture = np.asarray(picture)
    if picture.ndim == 2:
        picture = np.repeat(picture[..., None], 3, 2)
    if picture.shape[2] == 3:
        picture = np.dstack([picture, np.full(picture.shape[:2], 255, np.uint8)])
    return picture


def note(name, kind, expected, tolerance, features, has_alpha=False, **more):
    rgba = to_rgba(expected).copy()
    rgba[rgba[..., 3] == 0] = 0
    MANIFEST.append({'name': name, 'format': kind, 'width': rgba.shape[1], 'height': rgba.shape[0], 'has_alpha': has_alpha,
                     'features': features, **more, 'probes': probes(rgba, tolerance)})


def path(name):
    return os.path.join(FOLDER, name)


def jpeg(name, picture, features, quality=84, expected=None, **options):
    image = picture if isinstance(picture, Image.Image) else Image.fromarray(bytes8(picture))
    image.save(path(name), quality=quality, optimize=True, **options)
    note(name, 'jpeg', image if expected is None else expected, 14, features)


def make_jpegs():
    jpeg('sunset-mountains.jpg', sunset(960, 640), ['baseline', '4:2:0'], subsampling=2)
    jpeg('aurora.jpg', aurora(1000, 625), ['progressive', '4:2:0'], progressive=True, subsampling=2)
    jpeg('balloons.jpg', balloons(800, 600), ['baseline', '4:4:4'], subsampling=0)
    jpeg('ringed-planet.jpg', planet(900, 600), ['progressive', '4:4:4'], quality=78, progressive=True, subsampling=0)
    jpeg('moonlit-dunes.jpg', Image.fromarray(bytes8(dunes(900, 600))[..., 0]), ['baseline', 'grey'])
    upright = bytes8(lighthouse(600, 900))
    exif = Image.Exif()
    exif[0x0112] = 6
    jpeg('lighthouse.jpg', Image.fromarray(np.rot90(upright).copy()), ['baseline', 'orientation 6'], expected=upright, exif=exif.tobytes())
    flowers = bytes8(garden(640, 640))
    black = 255 - flowers.max(2)
    ink = (255 - flowers.astype(int) - black[..., None]) * 255 // np.maximum(255 - black[..., None].astype(int), 1)
    jpeg('ink-garden.jpg', Image.fromarray(np.dstack([ink.astype(np.uint8), black]), 'CMYK'), ['baseline', 'CMYK'], quality=82, expected=flowers)
    liquid = plasma(720, 720)
    jpeg('liquid-colour.jpg', Image.fromarray(bytes8(srgb_to_p3(liquid))), ['baseline', 'Display P3 profile'], expected=bytes8(liquid),
         icc_profile=display_p3_profile())


def make_pngs():
    def save(name, image, features, has_alpha=False, **options):
        image.save(path(name), optimize=True, **options)
        note(name, 'png', image.convert('RGBA' if has_alpha else 'RGB'), 0, features, has_alpha)

    save('mandelbrot.png', Image.fromarray(bytes8(mandelbrot(480, 360))).quantize(200, dither=Image.Dither.NONE), ['palette'])
    save('colour-wheel.png', Image.fromarray(bytes8(wheel(400, 400))), ['rgba'], True)
    save('bar-chart.png', Image.fromarray(chart(800, 500)), ['rgb'])
    save('truchet.png', truchet(600, 600).quantize(16, dither=Image.Dither.NONE), ['palette, 4 bits'])
    save('badge.png', badge(400, 400).quantize(64, method=Image.Quantize.FASTOCTREE), ['palette', 'tRNS'], True)
    save('ripples.png', Image.fromarray(bytes8(ripple(420, 420))), ['grey'])
    save('glass-icon.png', Image.fromarray(bytes8(glass(320, 320))), ['rgba'], True)
    slope = np.round(deep(420, 300) * 65535).astype(np.uint16) & 0xFFF8
    write_png(path('ember-sky-16.png'), slope, 2, 16)
    note('ember-sky-16.png', 'png', (slope >> 8).astype(np.uint8), 1, ['rgb, 16 bits'])
    ball = np.round(pearl(320, 320) * 65535).astype(np.uint16) & 0xFFF0
    write_png(path('pearl-16.png'), ball[..., None], 0, 16)
    note('pearl-16.png', 'png', (ball >> 8).astype(np.uint8), 1, ['grey, 16 bits'])
    land = np.asarray(Image.fromarray(bytes8(contours(560, 420))).quantize(64, dither=Image.Dither.NONE).convert('RGB'))
    write_png(path('contour-map.png'), land, 2, interlaced=True)
    note('contour-map.png', 'png', land, 0, ['rgb', 'interlaced'])


def make_gifs():
    def save(name, image, features, has_alpha=False, **options):
        image.save(path(name), **options)
        with Image.open(path(name)) as first:
            shown = np.asarray(first.convert('RGBA'))
        note(name, 'gif', shown, 0, features, has_alpha)

    save('pinwheel.gif', pinwheel(480, 480).quantize(64, dither=Image.Dither.NONE), ['static'], interlace=0)
    save('stained-glass.gif', Image.fromarray(bytes8(stained_glass(540, 540))).quantize(96, dither=Image.Dither.NONE), ['interlaced'], interlace=1)
    star = np.asarray(sticker(360, 360))
    indexed = Image.fromarray(star[..., :3]).quantize(63, dither=Image.Dither.NONE)
    cells = np.asarray(indexed).copy()
    cells[star[..., 3] < 128] = 63
    cut = Image.fromarray(cells, 'P')
    cut.putpalette(indexed.getpalette()[:63 * 3] + [255, 0, 255])
    save('star-sticker.gif', cut, ['transparent'], True, transparency=63, interlace=0)
    frames = [orbit(320, 320, i / 16).quantize(48, dither=Image.Dither.NONE) for i in range(16)]
    frames[0].save(path('orbits.gif'), save_all=True, append_images=frames[1:], duration=80, loop=0, interlace=0)
    note('orbits.gif', 'gif', frames[0].convert('RGB'), 0, ['animated'], frames=16, loop=0, duration_ms=1280)


def make_webps():
    def save(name, picture, tolerance, features, has_alpha=False, **options):
        image = Image.fromarray(bytes8(picture))
        image.save(path(name), method=6, **options)
        note(name, 'webp', image, tolerance, features, has_alpha)

    save('coral-reef.webp', reef(960, 640), 16, ['lossy'], quality=80)
    save('night-city.webp', city(1000, 600), 16, ['lossy'], quality=78)
    save('leaf.webp', leaf(480, 480), 16, ['lossy', 'alpha'], True, quality=84)
    small = Image.fromarray(bytes8(julia(480, 360))).quantize(160, dither=Image.Dither.NONE).convert('RGB')
    save('julia.webp', np.asarray(small) / 255, 0, ['lossless'], lossless=True)


def main():
    os.makedirs(FOLDER, exist_ok=True)
    for make in (make_jpegs, make_pngs, make_gifs, make_webps):
        make()
    with open(path('manifest.json'), 'w') as f:
        f.write('{"pictures": [\n' + ',\n'.join(json.dumps(p) for p in MANIFEST) + '\n]}\n')
    sizes = {p['name']: os.path.getsize(path(p['name'])) for p in MANIFEST}
    for name, size in sizes.items():
        print(f'{size:8} {name}')
    print(f'{sum(sizes.values()):8} in all, {len(sizes)} pictures')
    assert max(sizes.values()) <= 150_000 and sum(sizes.values()) <= 1_500_000


if __name__ == '__main__':
    main()
