"""Objects tell the arguments that created them; chains of loaders change."""

from __future__ import annotations

import gc
import weakref

from .support import TestCase, png, sdimage


class Configurations(TestCase):
    def test_managers_tell_theirs(self) -> None:
        cache, blur = self.cache(), sdimage.transforms.blur(2)
        hooks = sdimage.LoadHooks(should_load=lambda request: True)
        loader = sdimage.Loader(lambda request: png(), name="own")
        manager = self.manager(
            cache=cache, loader=loader, transformer=blur, freshness="respect", load_hooks=hooks, failed_url_retry_after=5
        )
        config = manager.config
        self.assertEqual((config["cache"], config["loader"], config["transformer"]), (cache, loader, blur))
        self.assertEqual((config["freshness"], config["load_hooks"], config["failed_url_retry_after"]), ("respect", hooks, 5))
        self.assertEqual((config["ignore_signatures"], config["on_load"]), (False, None))
        with self.assertRaises(TypeError):
            config["freshness"] = "ignore"  # type: ignore[index]
        self.assertIsNone(self.manager(cache=None).config["cache"])

    def test_loaders_tell_theirs_without_secrets(self) -> None:
        loader = sdimage.Loader.http(
            max_per_host=2,
            credential=("me", "secret"),
            bearer_token="secret",
            client_certificate=("a.pem", None, "secret"),
            headers={"Authorization": "secret", "X-Own": "1", "Accept": None},
            proxy="http://me:secret@proxy.test:80",
            address_allow=iter(["10.0.0.0/8"]),
            acceptable_statuses=iter([(200, 299)]),
        )
        config = loader.config
        self.assertNotIn("secret", str(config))
        self.assertEqual((config["max_per_host"], config["max_total"], config["execution_order"]), (2, None, "fifo"))
        self.assertEqual(config["credential"][0], "me")
        self.assertEqual(config["client_certificate"][:2], ("a.pem", None))
        self.assertEqual((config["headers"]["X-Own"], config["headers"]["Accept"]), ("1", None))
        self.assertTrue(config["proxy"].endswith("@proxy.test:80"))
        self.assertEqual((config["address_allow"], config["acceptable_statuses"]), (("10.0.0.0/8",), ((200, 299),)))
        loader.set_max_per_host(5)
        loader.set_execution_order("lifo")
        self.assertEqual((loader.config["max_per_host"], loader.config["execution_order"]), (5, "lifo"))

        def function(request: sdimage.LoadRequest) -> bytes:
            return png()

        config = {"function": function, "can_load": None, "name": "python", "should_remember_failure": None}
        self.assertEqual(dict(sdimage.Loader(function).config), config)

    def test_hooks_transports_targets_and_resources_tell_theirs(self) -> None:
        def function(*_arguments: object) -> None:
            pass

        self.assertIs(sdimage.DownloadHooks(event=function).config["event"], function)
        self.assertIsNone(sdimage.DownloadHooks(event=function).config["decrypt"])
        self.assertEqual(sdimage.DownloadHooks.fixed(method="PUT", status=201).config["method"], "PUT")
        self.assertIs(sdimage.LoadHooks(process_request=function).config["process_request"], function)
        self.assertEqual(sdimage.Transport(function, 3).config["workers"], 3)  # type: ignore[arg-type]
        manager = self.manager()
        target = sdimage.Target(manager, function)
        self.assertEqual((target.config["manager"], target.config["set_image"]), (manager, function))
        folder = self.folder()
        icons = sdimage.Resources(folder, (2, 1), pixel_format="rgba8")
        self.assertEqual(dict(icons.config), {"folder": folder, "scales": (2.0, 1.0), "pixel_format": "rgba8"})

    def test_transformers_and_animations_tell_theirs(self) -> None:
        flip = sdimage.transforms.flip(vertical=True)
        self.assertEqual(dict(flip.config), {"transform": "flip", "horizontal": False, "vertical": True})
        pipeline = sdimage.transforms.pipeline([flip])
        self.assertEqual((pipeline.config["transform"], pipeline.config["transformers"]), ("pipeline", [flip]))
        resize = sdimage.transforms.resize((3, 4), "aspect_fill")
        self.assertEqual((resize.config["size"], resize.config["mode"], resize.config["resampling"]), ((3, 4), "aspect_fill", "lanczos"))
        animation = sdimage.Animation(png(), thumbnail_size=(4, 4))
        self.assertEqual(dict(animation.options), {"thumbnail_size": (4, 4), "coder": None})

    def test_requests_tell_their_options(self) -> None:
        seen: dict[str, object] = {}

        def load(request: sdimage.LoadRequest) -> bytes:
            options = request.decode_options
            seen.update(
                method=request.method,
                headers=request.headers,
                body=request.body,
                policy=request.cache_policy,
                size=options["thumbnail_size"],
                mode=options["thumbnail_mode"],
                page=request.options["page"],
            )
            return png()

        manager = self.manager(loader=load)
        task = manager.start(
            "x:a",
            method="POST",
            body=b"wish",
            headers={"X-Own": "1"},
            cache_policy="memory_only",
            thumbnail_size=(4, 4),
            preserve_aspect_ratio=False,
            options={"page": 5},
        )
        task.wait()
        self.assertEqual(seen["method"], "POST")
        self.assertEqual((seen["headers"], seen["body"], seen["page"]), ([("X-Own", "1")], b"wish", 5))
        self.assertEqual(
            seen["policy"], {"skip_disk_read", "skip_disk_write", "skip_original_read", "skip_original_write"}
        )
        self.assertEqual((seen["size"], seen["mode"]), ((4, 4), "fill"))
        self.assertEqual((task.options["method"], task.options["thumbnail_size"]), ("POST", (4, 4)))


class Chains(TestCase):
    def test_loaders_are_added_and_removed(self) -> None:
        first = sdimage.Loader(lambda request: png(1, 1), can_load=lambda url: url.startswith("x:"))
        second = sdimage.Loader(lambda request: png(2, 2))
        chain = sdimage.Loader.chain(first)
        manager = self.manager(cache=None, loader=chain)

        def width() -> int | None:
            image = manager.load("x:a").image
            return image.width if image else None

        self.assertEqual((chain.members, chain.name, width()), ((first,), "chain", 1))
        chain.add(second)
        self.assertEqual((chain.members, width()), ((first, second), 2))
        chain.add(first)
        self.assertEqual((chain.members, width()), ((second, first), 1))
        chain.remove(first)
        self.assertEqual((chain.config["loaders"], width()), ((second,), 2))
        self.assert_error("NOT_FOUND", chain.remove, first)
        third = chain.add(lambda request: png(3, 3))
        self.assertEqual((width(), chain.members[-1]), (3, third))
        with self.assertRaises(TypeError):
            chain.remove(5)  # type: ignore[arg-type]

    def test_a_removed_loader_is_released(self) -> None:
        chain = sdimage.Loader.chain()
        loader = sdimage.Loader(lambda request: png())
        gone = weakref.ref(loader)
        chain.add(loader)
        del loader
        gc.collect()
        self.assertIsNotNone(gone())
        chain.remove(chain.members[0])
        gc.collect()
        self.assertIsNone(gone())
