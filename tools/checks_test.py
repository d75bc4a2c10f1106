"""Each check accepts a small sound tree and finds each fault planted in it."""

import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest


def load(name):
    loader = importlib.machinery.SourceFileLoader(name, str(pathlib.Path(__file__).with_name(name)))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class TreeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def assert_one_fault(self, faults, part):
        faults = list(faults)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(part, faults[0])


class Arrows(TreeTest):
    TABLE = "base:\ncore:\nkv:\ntensor:\nengine: kv\nserve: engine/engine.h\nin tests: engine/mock_engine.h\nwithout mlx: base kv\n"

    def setUp(self):
        super().setUp()
        self.check = load("check_arrows").check
        self.write("tools/arrows.txt", self.TABLE)
        for name in ("base/log.h", "kv/pool.h", "engine/engine.h", "engine/loop.h", "engine/mock_engine.h"):
            self.write(f"src/ingot/{name}", "// A banner.\n#pragma once\n")

    def include(self, source, *included):
        self.write(f"src/ingot/{source}", "// A banner.\n" + "".join(f"#include {name}\n" for name in included))

    def test_sound_tree(self):
        self.include("engine/loop.cpp", '"ingot/engine/loop.h"', '"ingot/kv/pool.h"', '"ingot/base/log.h"', "<vector>")
        self.include("serve/submit.cpp", '"ingot/engine/engine.h"')
        self.include("serve/submit_test.cpp", '"ingot/engine/mock_engine.h"')
        self.write("CMakeLists.txt", "ingot_room(engine ROOMS base core kv LIBS x)\n")
        self.assertEqual(list(self.check(self.root)), [])

    def test_forbidden_room(self):
        self.include("kv/pool.cpp", '"ingot/engine/engine.h"')
        self.assert_one_fault(self.check(self.root), "kv may not include engine/engine.h")

    def test_base_includes_nothing(self):
        self.include("base/log.cpp", '"ingot/kv/pool.h"')
        self.assert_one_fault(self.check(self.root), "base may not include")

    def test_engine_from_above_is_its_face(self):
        self.include("serve/submit.cpp", '"ingot/engine/loop.h"')
        self.assert_one_fault(self.check(self.root), "serve may not include engine/loop.h")

    def test_mock_only_in_tests(self):
        self.include("serve/submit.cpp", '"ingot/engine/mock_engine.h"')
        self.assert_one_fault(self.check(self.root), "engine/mock_engine.h")

    def test_mlx(self):
        self.include("kv/pool.cpp", "<mlx/array.h>")
        self.assert_one_fault(self.check(self.root), "never sees MLX")

    def test_relative_include(self):
        self.include("kv/pool.cpp", '"pool.h"')
        self.assert_one_fault(self.check(self.root), 'write "ingot/room/file.h"')

    def test_unknown_room(self):
        self.include("utils/pool.cpp")
        self.assert_one_fault(self.check(self.root), "no room 'utils'")

    def test_missing_header(self):
        self.include("kv/pool.cpp", '"ingot/kv/pond.h"')
        self.assert_one_fault(self.check(self.root), "no file ingot/kv/pond.h")

    def test_cmake(self):
        self.write("CMakeLists.txt", "ingot_room(kv ROOMS base engine LIBS fmt::fmt)\n")
        self.assert_one_fault(self.check(self.root), "kv may not link engine")

    def test_binary(self):
        self.write("build/kv_test", "\x7fELF libmlx.so")
        self.assert_one_fault(self.check(self.root, self.root / "build"), "the tests of kv link MLX")


class Sizes(TreeTest):
    def setUp(self):
        super().setUp()
        self.module = load("check_sizes")

    def faults(self):
        return self.module.check(self.root)[0]

    @staticmethod
    def function(lines, head="int f(int a)"):
        return f"{head} {{\n" + "  // {{ ( \" in a comment\n  g(\"}}\");\n" * ((lines - 2) // 2) + "}\n"

    def test_at_the_limits(self):
        self.write("src/a.cpp", "// A banner.\n" + self.function(60))
        self.write("src/b.cpp", "// A banner.\n" + "int x;\n" * 499)
        self.assertEqual(self.faults(), [])

    def test_long_file(self):
        self.write("src/a.cpp", "// A banner.\n" + "int x;\n" * 500)
        self.assert_one_fault(self.faults(), "501 lines")

    def test_long_functions_of_each_form(self):
        for head in (
            "int f(int a)",
            "template <class T>\nauto Pool<T>::f(T a) const noexcept -> int",
            "Pool::f(int a)\n    : a_{a}, b_(2)",
            "TEST(Pool, f)",
            "namespace x {\nclass A final : public B {\n public:\n  explicit f(std::map<int, int> a)",
            "#define MACRO(x) {\nbool operator==(const A& a)",
        ):
            with self.subTest(head=head):
                self.write("src/a.cpp", "// A banner.\n" + self.function(64, head))
                self.assert_one_fault(self.faults(), "lines, more than 60")

    def test_parameters(self):
        self.write("src/a.cpp", "// A banner.\nvoid f(int a, std::map<int, int> b, int c, int d, int e, int g) {}\n")
        self.assertEqual(self.faults(), [])
        self.write("src/a.cpp", "// A banner.\nvoid f(int a, int b, int c, int d, int e, int g, int h) {}\n")
        self.assert_one_fault(self.faults(), "takes 7 parameters")

    def test_tables_and_types_are_no_functions(self):
        rows = '  {"a", f(1)},\n' * 80
        self.write("src/a.cpp", f"// A banner.\nconst Row kRows[] = {{\n{rows}}};\nstruct A {{\n{'  int f();' + chr(10)}{'  int x;' + chr(10) * 70}}};\n")
        self.assertEqual(self.faults(), [])

    def test_python(self):
        self.write("tools/a", "#!/usr/bin/env python3\ndef f():\n" + "    g()\n" * 60)
        self.assert_one_fault(self.faults(), "f has 61 lines")

    def test_banner_pragma_and_name(self):
        self.write("src/a.cpp", "int x;\n")
        self.assert_one_fault(self.faults(), "banner")
        self.write("src/a.cpp", "// A banner.\n")
        self.write("src/b.h", "// A banner.\n")
        self.assert_one_fault(self.faults(), "#pragma once")
        self.write("src/b.h", "// A banner.\n#pragma once\n")
        self.write("src/string_utils.cpp", "// A banner.\n")
        self.assert_one_fault(self.faults(), "says nothing")

    def test_exceptions(self):
        self.write("src/a.cpp", "// A banner.\n" + self.function(80))
        self.write("tools/size_exceptions.txt", "src/a.cpp:f 80 one switch over all token kinds\n")
        self.assertEqual(self.faults(), [])
        self.write("src/a.cpp", "// A banner.\n" + self.function(82))
        self.assert_one_fault(self.faults(), "f has 82 lines")
        self.write("src/a.cpp", "// A banner.\n")
        self.assert_one_fault(self.faults(), "is not there")


class Docs(TreeTest):
    def setUp(self):
        super().setUp()
        self.check = load("check_docs").check
        self.write("src/ingot/kv/pool.h", "")
        self.write("docs/decisions/0001-rooms.md", "# Rooms\n")

    def test_sound_page(self):
        self.write("README.md", "`kv/pool.h`, `kv/pool.{h,h}`, `src/ingot/*/pool.h`, `GET /v1/models`, `text/html`, [why](docs/decisions/0001-rooms.md#x), [web](https://x.org/a)\n```\nkv/gone.h `kv/gone.h`\n```\n")
        self.assertEqual(list(self.check(self.root)), [])

    def test_missing_paths(self):
        for text in ("`kv/gone.h`", "`kv/{pool,gone}.h`", "`src/ingot/gone/`", "[x](docs/gone.md)"):
            with self.subTest(text=text):
                self.write("README.md", text + "\n")
                self.assert_one_fault(self.check(self.root), "README.md:1: no ")

    def test_lengths(self):
        self.write("ARCHITECTURE.md", "x\n" * 151)
        self.assert_one_fault(self.check(self.root), "151 lines")
        self.write("ARCHITECTURE.md", "x\n" * 150)
        self.write("docs/decisions/0002-long.md", "x\n" * 41)
        self.assert_one_fault(self.check(self.root), "41 lines")

    def test_decision_name(self):
        self.write("docs/decisions/rooms.md", "x\n")
        self.assert_one_fault(self.check(self.root), "NNNN")


if __name__ == "__main__":
    unittest.main()
