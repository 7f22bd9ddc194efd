"""`python -m draligned`: the command, where its script is not on the path."""

from draligned.cli.main import main

if __name__ == "__main__":
    main()
