# The gtest programs that CMake put into <build>/test/Unit.
import os

import lit.formats

config.name = "RELAY-Unit"
config.suffixes = []
config.test_exec_root = os.path.join(config.relay_obj_root, "test", "Unit")
config.test_source_root = config.test_exec_root
config.test_format = lit.formats.GoogleTest("", "Test")
